// A mechanism that moves: its state, its steps, the poses of its bodies.  Programs are given as
// {evaluate, info}; nothing here knows of the page.
class Simulation {
  // data: step [s], start values q, qd, x, parameters by name, bodies, loops.
  constructor(programs, data) {
    this.programs = programs;
    this.data = data;
    this.start = { q: [...data.q], qd: [...data.qd], x: [...data.x] };
    this.tau = data.qd.map(() => 0);
    this.parameters = { ...data.parameters };
    this.hand = null; // what pulls: a body, where it is held, and where that shall go
    this.problem = "";
    this.t = 0;
    this.count = 0;
    this.state = {};
    this.reset();
  }

  // Back to the start, made to obey the loops; whether that works.  Where it does not, the state
  // stays and `problem` says why.
  reset() {
    const first = this.begin(this.start, 0);
    const state = first && this.happen(first, first, 0);
    if (!state) return false;
    this.state = this.observe(state, 0);
    this.t = 0;
    this.count = 0;
    this.problem = "";
    return true;
  }

  // The state with these q, qd, x at a time, made to obey the loops; none where that fails.
  begin(given, t) {
    const { start } = this.programs;
    const out = this.run(start, { ...given, t });
    const q = out.q_closed ?? Float64Array.from(given.q);
    const qd = out.qd_closed ?? Float64Array.from(given.qd);
    if (!finite(q)) return this.fails(this.gap());
    if (!finite(out.qdd) || !finite(qd)) {
      return this.fails("There are no finite accelerations in this configuration: it is singular, " +
        "or a law has no value there. Move a coordinate a little.");
    }
    const state = { q, qd, qdd: out.qdd, a: out.qdd };
    if (out.xd) Object.assign(state, { x: Float64Array.from(given.x), xd: out.xd, y: out.xd });
    const lam = labels(this.programs.step, "lam");
    const known = labels(start, "lam");
    state.lam = Float64Array.from(lam, (name) => out.lam?.[known.indexOf(name)] ?? 0);
    return state;
  }

  // The state after all events of a step that ended at t, those that follow from them included;
  // none where they never settle, or one of them ends the motion.
  happen(before, after, t) {
    const events = this.data.happenings ?? [];
    if (!events.length) return after;
    const tick = t > 0 ? t - this.data.step : -this.data.step;
    let state = after;
    let g = this.conditions(before, t);
    let fired = events.map((event) => (event.timed && ticks(event, tick, t) ? 1 : 0));
    for (let round = 0; round < ROUNDS; round++) {
      const now = this.conditions(state, t);
      now.forEach((value, k) => {
        const [a, rises] = [g[k], value > g[k]];
        const passed = round ? (rises ? a <= 0 && value > 0 : a >= 0 && value < 0)
          : (rises ? a < 0 && value >= 0 : a > 0 && value <= 0);
        if (passed && events[k].way * (rises ? 1 : -1) >= 0) fired[k] = 1;
      });
      if (!fired.includes(1)) return state;
      const last = events.find((event, k) => fired[k] && event.stops);
      const { y } = this.run(this.programs.update, { ...state, y: whole(state), t, fired });
      const [nq, nv] = [state.q.length, state.qd.length];
      state = this.begin({ q: y.slice(0, nq), qd: y.slice(nq, nq + nv), x: y.slice(nq + nv) }, t);
      if (!state) return null;
      if (last) return this.fails(`Event '${last.name}' ends the motion at t = ${t.toPrecision(4)} s.`);
      g = now;
      fired = fired.map(() => 0);
    }
    return this.fails(`Events at t = ${t.toPrecision(4)} s undo each other and never settle.`);
  }

  // Values of all conditions at a state.
  conditions(state, t) {
    const { conditions } = this.programs;
    return conditions ? [...this.run(conditions, { ...state, y: whole(state), t }).g] : [];
  }

  // The state with the outputs of the model, which are found where they are looked at.
  observe(state, t) {
    const { outputs, step } = this.programs;
    if (!outputs) return state;
    const known = labels(step, "lam");
    let found = null;
    const get = () => {
      const lam = labels(outputs, "lam").map((name) => state.lam[known.indexOf(name)] ?? 0);
      found ??= this.run(outputs, { ...state, lam, t }).out;
      return found;
    };
    return Object.defineProperty(state, "outputs", { get });
  }

  gap() {
    const loops = this.data.loops;
    const which = loops.length === 1 ? `Loop '${loops[0]}' does` : `The loops (${loops.join(", ")}) do`;
    return `${which} not close from these coordinates. Move a slider back, or less far.`;
  }

  fails(problem) {
    this.problem = problem;
    return null;
  }

  // Make steps; how many were made.  A step without solution is tried in 4 and in 16 pieces.
  advance(steps) {
    const h = this.data.step;
    for (let made = 0; made < steps; made++) {
      this.effort = this.grip();
      const next = this.pieces(1) ?? this.pieces(4) ?? this.pieces(16);
      if (!next) {
        this.fails(`Stopped at t = ${this.t.toPrecision(4)} s: a step of ${h} s has no solution. ` +
          "The motion is too violent for it, a loop is torn, or a law has no value there.");
        return made;
      }
      const t = (this.count + 1) * h;
      const settled = this.happen(this.state, next, t);
      if (!settled) return made;
      this.count += 1;
      this.t = t;
      this.state = this.observe(settled, this.t);
      this.problem = "";
    }
    return steps;
  }

  // The state a step later, made in some pieces; none where it has no solution.
  pieces(count) {
    const h = this.data.step / count;
    let state = this.state;
    for (let k = 0; k < count; k++) {
      const out = this.run(this.programs.step, { ...state, t: this.t + k * h, h });
      const next = {};
      for (const name of Object.keys(out)) {
        if (!finite(out[name])) return null;
        next[name.replace(/_next$/, "")] = out[name];
      }
      state = next;
    }
    return state;
  }

  // Places and rotations (row by row) of all bodies.
  frames() {
    const out = this.run(this.programs.frames, { q: this.state.q ?? this.start.q, t: this.t });
    return this.data.bodies.map((name) => ({
      position: out[`${name}.position`], rotation: out[`${name}.rotation`],
    }));
  }

  // Pull at a place of a body (in its frame) towards a place of the ground, until it is let go.  The
  // hand is a spring with critical damping for the mass that is felt there, so that the mechanism
  // follows in a tenth of a second whatever it weighs, and no step is too long for it.
  hold(body, at, to) {
    const { J } = this.lever(body, at);
    const qdd = (tau) => this.run(this.programs.start, { ...this.state, t: this.t, tau }).qdd;
    const before = qdd(this.tau);
    const mobility = J.map((row) => {
      const after = qdd(this.tau.map((x, k) => x + row[k])); // acceleration by 1 N along an axis
      return row.reduce((sum, x, k) => sum + x * (after[k] - before[k]), 0);
    }).reduce((sum, x) => sum + x, 0);
    const mass = mobility > 0 && Number.isFinite(mobility) ? 1 / mobility : 0;
    this.hand = { body, at, to, mass };
  }

  release() {
    this.hand = null;
    this.effort = null;
  }

  // Efforts of the joints with those of the hand, tau + Jᵀ f; none where nothing is held.
  grip() {
    if (!this.hand) return null;
    const { body, at, to, mass } = this.hand;
    const { J, place } = this.lever(body, at);
    const { qd } = this.state;
    const force = J.map((row, i) => {
      const speed = row.reduce((sum, x, k) => sum + x * qd[k], 0);
      return mass * (HAND * HAND * (to[i] - place[i]) - 2 * HAND * speed);
    });
    return this.tau.map((x, k) => x + J.reduce((sum, row, i) => sum + row[k] * force[i], 0));
  }

  // Where a place of a body is, and its Jacobian: columns are its velocities by one velocity each.
  lever(body, at) {
    const { q, qd } = this.state;
    const { position, rotation: R } = this.frames()[this.data.bodies.indexOf(body)];
    const arm = [0, 3, 6].map((i) => R[i] * at[0] + R[i + 1] * at[1] + R[i + 2] * at[2]);
    const speed = (velocities) => {
      const given = { q, qd: velocities, t: this.t };
      const [a, b, c, x, y, z] = this.run(this.programs.pull, given)[`${body}.velocity`];
      const [u, v, w] = arm;
      return [x + b * w - c * v, y + c * u - a * w, z + a * v - b * u];
    };
    const rest = speed(qd.map(() => 0)); // what moves by the time alone
    const columns = Array.from(qd, (_, k) => speed(qd.map((__, j) => (j === k ? 1 : 0))));
    const J = [0, 1, 2].map((i) => columns.map((column) => column[i] - rest[i]));
    return { J, place: arm.map((x, i) => position[i] + x) };
  }

  // Evaluate a program with those of the values that it takes.
  run(program, values) {
    const given = { tau: this.effort ?? this.tau, ...values };
    const inputs = {};
    for (const { name } of program.info.inputs) {
      if (name === "p") {
        inputs.p = labels(program, "p").map((label) => this.parameters[label]);
      } else if (name in given) {
        inputs[name] = given[name];
      }
    }
    return program.evaluate(inputs);
  }
}

const ROUNDS = 20;
// How fast the hand pulls [rad/s].
const HAND = 30;

// The state [q, qd, x] of a program of events.
function whole(state) {
  return Float64Array.from([...state.q, ...state.qd, ...(state.x ?? [])]);
}

// Whether an event by the clock happens after one time and up to another [s].
function ticks({ every, offset, at }, after, t) {
  const near = 1e-9 * Math.max(1, Math.abs(t));
  if (!every) return at.some((time) => time > after + near && time <= t + near);
  const last = offset + Math.floor((t + near - offset) / every) * every;
  return last >= offset && last > after + near;
}

function labels(program, name) {
  const { inputs, outputs } = program.info;
  return (inputs.find((row) => row.name === name) ?? outputs.find((row) => row.name === name))
    ?.labels ?? [];
}

function finite(values) {
  for (let i = 0; i < values.length; i++) if (!Number.isFinite(values[i])) return false;
  return true;
}
