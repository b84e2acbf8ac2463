// Times and evaluates Pinocchio's algorithms, compiled from its headers for this machine.
//
// Speaks lines on standard input and output, so that one process can alternate with others:
//   load DESCRIPTION STATES     read a model (text, see `load`) and its random states (doubles)
//   time ALGORITHM REPEATS S    -> "MIN MEDIAN", nanoseconds per call
//   eval ALGORITHM INDEX        -> the result for one state, numbers on one line
//   quit
#include <cstdio>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "timing.h"

#include "pinocchio/multibody.hpp"
#include "pinocchio/algorithm/aba-derivatives.hpp"
#include "pinocchio/algorithm/aba.hpp"
#include "pinocchio/algorithm/cholesky.hpp"
#include "pinocchio/algorithm/crba.hpp"
#include "pinocchio/algorithm/jacobian.hpp"
#include "pinocchio/algorithm/kinematics.hpp"
#include "pinocchio/algorithm/rnea-derivatives.hpp"
#include "pinocchio/algorithm/rnea.hpp"

namespace pin = pinocchio;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

struct Case {
  pin::Model model;
  std::unique_ptr<pin::Data> data;
  std::vector<Vector> q, v, u;
  Vector rhs;
};

using Step = std::function<void(Case&, int)>;
using Result = std::function<void(Case&, std::vector<double>&)>;

struct Algorithm {
  run_many run;   // many calls, states cycled
  Step step;      // one call
  Result result;  // what it computed
};

static pin::JointModel joint_of(const std::string& kind, const Eigen::Vector3d& axis) {
  if (kind == "RX") return pin::JointModelRX();
  if (kind == "RY") return pin::JointModelRY();
  if (kind == "RZ") return pin::JointModelRZ();
  if (kind == "PX") return pin::JointModelPX();
  if (kind == "PY") return pin::JointModelPY();
  if (kind == "PZ") return pin::JointModelPZ();
  if (kind == "R") return pin::JointModelRevoluteUnaligned(axis);
  if (kind == "P") return pin::JointModelPrismaticUnaligned(axis);
  if (kind == "BALL") return pin::JointModelSpherical();
  if (kind == "FREE") return pin::JointModelFreeFlyer();
  throw std::runtime_error("unknown joint kind " + kind);
}

static Eigen::Vector3d vector3(std::istream& in) {
  double x, y, z;
  in >> x >> y >> z;
  return Eigen::Vector3d(x, y, z);
}

static Eigen::Matrix3d matrix3(std::istream& in) {
  Eigen::Matrix3d m;
  for (int i = 0; i < 9; i++) in >> m(i / 3, i % 3);
  return m;
}

// Text: gravity (3), number of joints, then per joint: name, parent index (0 = world), kind,
// axis (3), placement rotation (9, row by row) and translation (3), mass, centre of mass (3),
// inertia about the centre of mass (9).
static void load_model(Case& c, const std::string& path) {
  std::ifstream in(path);
  c.model = pin::Model();
  c.model.gravity = pin::Motion(vector3(in), Eigen::Vector3d::Zero());
  int joints;
  in >> joints;
  for (int i = 0; i < joints; i++) {
    std::string name, kind;
    int parent;
    double mass;
    in >> name >> parent >> kind;
    const Eigen::Vector3d axis = vector3(in);
    const Eigen::Matrix3d rotation = matrix3(in);
    const Eigen::Vector3d translation = vector3(in);
    in >> mass;
    const Eigen::Vector3d com = vector3(in);
    const Eigen::Matrix3d inertia = matrix3(in);
    const auto id = c.model.addJoint(parent, joint_of(kind, axis),
                                     pin::SE3(rotation, translation), name);
    c.model.appendBodyToJoint(id, pin::Inertia(mass, com, inertia), pin::SE3::Identity());
  }
  if (!in) throw std::runtime_error("cannot read " + path);
  c.data = std::make_unique<pin::Data>(c.model);
  c.rhs = Vector::Zero(c.model.nv);
}

static void load_states(Case& c, const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  auto read = [&](int n) {
    Vector x(n);
    in.read(reinterpret_cast<char*>(x.data()), n * sizeof(double));
    return x;
  };
  c.q.clear(), c.v.clear(), c.u.clear();
  for (int i = 0; i < STATES; i++) {
    c.q.push_back(read(c.model.nq));
    c.v.push_back(read(c.model.nv));
    c.u.push_back(read(c.model.nv));
  }
  if (!in) throw std::runtime_error("cannot read " + path);
}

static volatile double sink;

struct Rnea {
  static void call(Case& c, int i) { sink = pin::rnea(c.model, *c.data, c.q[i], c.v[i], c.u[i])[0]; }
};
template <pin::Convention convention>
struct Crba {
  static void call(Case& c, int i) { sink = pin::crba(c.model, *c.data, c.q[i], convention)(0, 0); }
};
template <pin::Convention convention>
struct CrbaBias {
  static void call(Case& c, int i) {
    pin::crba(c.model, *c.data, c.q[i], convention);
    sink = pin::nonLinearEffects(c.model, *c.data, c.q[i], c.v[i])[0];
  }
};
template <pin::Convention convention>
struct Aba {
  static void call(Case& c, int i) {
    sink = pin::aba(c.model, *c.data, c.q[i], c.v[i], c.u[i], convention)[0];
  }
};
template <pin::Convention convention>
struct Cholesky {
  static void call(Case& c, int i) {
    pin::crba(c.model, *c.data, c.q[i], convention);
    pin::cholesky::decompose(c.model, *c.data);
    c.rhs = c.u[i] - pin::nonLinearEffects(c.model, *c.data, c.q[i], c.v[i]);
    pin::cholesky::solve(c.model, *c.data, c.rhs);
    sink = c.rhs[0];
  }
};
struct RneaDerivatives {
  static void call(Case& c, int i) {
    pin::computeRNEADerivatives(c.model, *c.data, c.q[i], c.v[i], c.u[i]);
    sink = c.data->dtau_dq(0, 0);
  }
};
struct AbaDerivatives {
  static void call(Case& c, int i) {
    pin::computeABADerivatives(c.model, *c.data, c.q[i], c.v[i], c.u[i]);
    sink = c.data->ddq_dq(0, 0);
  }
};

template <class A>
static void run_of(void* context, long n) {
  Case& c = *static_cast<Case*>(context);
  for (long i = 0; i < n; i++) A::call(c, static_cast<int>(i & (STATES - 1)));
}

template <class A>
static Algorithm algorithm(Result result) {
  return {run_of<A>, [](Case& c, int i) { A::call(c, i); }, std::move(result)};
}

static void append(std::vector<double>& out, const Vector& x) {
  out.insert(out.end(), x.data(), x.data() + x.size());
}

// Rows first; only the upper triangle of a symmetric matrix is filled by Pinocchio.
static void append_symmetric(std::vector<double>& out, const Matrix& m) {
  for (int i = 0; i < m.rows(); i++)
    for (int j = 0; j < m.cols(); j++) out.push_back(m(std::min(i, j), std::max(i, j)));
}

template <class M>
static void append_rows(std::vector<double>& out, const M& m) {
  for (int i = 0; i < m.rows(); i++)
    for (int j = 0; j < m.cols(); j++) out.push_back(m(i, j));
}

static std::map<std::string, Algorithm> algorithms() {
  constexpr auto local = pin::Convention::LOCAL, world = pin::Convention::WORLD;
  const Result tau = [](Case& c, std::vector<double>& o) { append(o, c.data->tau); };
  const Result ddq = [](Case& c, std::vector<double>& o) { append(o, c.data->ddq); };
  const Result rhs = [](Case& c, std::vector<double>& o) { append(o, c.rhs); };
  const Result mass = [](Case& c, std::vector<double>& o) { append_symmetric(o, c.data->M); };
  const Result both = [](Case& c, std::vector<double>& o) {
    append_symmetric(o, c.data->M);
    append(o, c.data->nle);
  };
  const Result dtau = [](Case& c, std::vector<double>& o) {
    append_rows(o, c.data->dtau_dq);
    append_rows(o, c.data->dtau_dv);
    append_symmetric(o, c.data->M);
  };
  const Result dddq = [](Case& c, std::vector<double>& o) {
    append_rows(o, c.data->ddq_dq);
    append_rows(o, c.data->ddq_dv);
    append_symmetric(o, c.data->Minv);
  };
  return {{"rnea", algorithm<Rnea>(tau)},
          {"crba_local", algorithm<Crba<local>>(mass)},
          {"crba_world", algorithm<Crba<world>>(mass)},
          {"crba_local+nle", algorithm<CrbaBias<local>>(both)},
          {"crba_world+nle", algorithm<CrbaBias<world>>(both)},
          {"aba_local", algorithm<Aba<local>>(ddq)},
          {"aba_world", algorithm<Aba<world>>(ddq)},
          {"crba_local+cholesky", algorithm<Cholesky<local>>(rhs)},
          {"crba_world+cholesky", algorithm<Cholesky<world>>(rhs)},
          {"rnea_derivatives", algorithm<RneaDerivatives>(dtau)},
          {"aba_derivatives", algorithm<AbaDerivatives>(dddq)}};
}

static void answer(Case& c, const std::map<std::string, Algorithm>& table, std::istream& line) {
  std::string verb;
  line >> verb;
  if (verb == "load") {
    std::string description, states;
    line >> description >> states;
    load_model(c, description);
    load_states(c, states);
    std::printf("ok %d %d\n", static_cast<int>(c.model.nq), static_cast<int>(c.model.nv));
    return;
  }
  std::string name;
  line >> name;
  const Algorithm& a = table.at(name);
  if (verb == "time") {
    int repeats;
    double seconds, out[2];
    line >> repeats >> seconds;
    measure(a.run, &c, repeats, seconds, out);
    std::printf("ok %.3f %.3f\n", out[0], out[1]);
  } else {
    int index;
    line >> index;
    a.step(c, index);
    std::vector<double> out;
    a.result(c, out);
    std::printf("ok");
    for (double x : out) std::printf(" %.17g", x);
    std::printf("\n");
  }
}

int main() {
  Case c;
  const auto table = algorithms();
  std::string text;
  while (std::getline(std::cin, text) && text != "quit") {
    std::istringstream line(text);
    try {
      answer(c, table, line);
    } catch (const std::exception& error) {
      std::printf("error %s\n", error.what());
    }
    std::fflush(stdout);
  }
}
