"""Gaussian elimination with row pivoting, as LLVM IR for any size.

Rows are padded to whole vectors of eight doubles, so the inner loops have no remainder; what stands
in the padding is never read as a result.

With eight evaluations side by side every element is a vector of eight doubles.  Rows are exchanged
lane by lane: a lane has pivots of its own.
"""

ELIMINATION = """\
define internal void @kt.subtract(ptr %to, ptr %from, double %m, i64 %start, i64 %length) nounwind {
entry:
  %m0 = insertelement <8 x double> poison, double %m, i32 0
  %mm = shufflevector <8 x double> %m0, <8 x double> poison, <8 x i32> zeroinitializer
  %first = and i64 %start, -8
  br label %test
test:
  %j = phi i64 [ %first, %entry ], [ %next, %step ]
  %more = icmp ult i64 %j, %length
  br i1 %more, label %step, label %done
step:
  %p = getelementptr inbounds double, ptr %to, i64 %j
  %q = getelementptr inbounds double, ptr %from, i64 %j
  %u = load <8 x double>, ptr %p, align 8
  %v = load <8 x double>, ptr %q, align 8
  %w = fmul contract <8 x double> %mm, %v
  %d = fsub contract <8 x double> %u, %w
  store <8 x double> %d, ptr %p, align 8
  %next = add i64 %j, 8
  br label %test
done:
  ret void
}

define internal void @kt.swap(ptr %a, ptr %b, i64 %length) nounwind {
entry:
  br label %test
test:
  %j = phi i64 [ 0, %entry ], [ %next, %step ]
  %more = icmp ult i64 %j, %length
  br i1 %more, label %step, label %done
step:
  %p = getelementptr inbounds double, ptr %a, i64 %j
  %q = getelementptr inbounds double, ptr %b, i64 %j
  %u = load <8 x double>, ptr %p, align 8
  %v = load <8 x double>, ptr %q, align 8
  store <8 x double> %v, ptr %p, align 8
  store <8 x double> %u, ptr %q, align 8
  %next = add i64 %j, 8
  br label %test
done:
  ret void
}

define internal void @kt.scale(ptr %a, double %m, i64 %length) nounwind {
entry:
  %m0 = insertelement <8 x double> poison, double %m, i32 0
  %mm = shufflevector <8 x double> %m0, <8 x double> poison, <8 x i32> zeroinitializer
  br label %test
test:
  %j = phi i64 [ 0, %entry ], [ %next, %step ]
  %more = icmp ult i64 %j, %length
  br i1 %more, label %step, label %done
step:
  %p = getelementptr inbounds double, ptr %a, i64 %j
  %u = load <8 x double>, ptr %p, align 8
  %w = fmul <8 x double> %mm, %u
  store <8 x double> %w, ptr %p, align 8
  %next = add i64 %j, 8
  br label %test
done:
  ret void
}

define internal i64 @kt.pivot(ptr %a, i64 %n, i64 %lda, i64 %c) nounwind {
entry:
  br label %row
row:
  %i = phi i64 [ %c, %entry ], [ %ni, %row ]
  %best = phi i64 [ %c, %entry ], [ %best1, %row ]
  %size = phi double [ -1.0, %entry ], [ %size1, %row ]
  %k0 = mul i64 %i, %lda
  %k = add i64 %k0, %c
  %p = getelementptr inbounds double, ptr %a, i64 %k
  %v = load double, ptr %p, align 8
  %s = call double @llvm.fabs.f64(double %v)
  %larger = fcmp ogt double %s, %size
  %best1 = select i1 %larger, i64 %i, i64 %best
  %size1 = select i1 %larger, double %s, double %size
  %ni = add i64 %i, 1
  %more = icmp ult i64 %ni, %n
  br i1 %more, label %row, label %done
done:
  ret i64 %best1
}

define internal void @kt.eliminate(ptr %a, ptr %b, i64 %n, i64 %lda, i64 %ldb) nounwind noinline {
entry:
  br label %column
column:
  %c = phi i64 [ 0, %entry ], [ %nc, %columnend ]
  %ac0 = mul i64 %c, %lda
  %bc0 = mul i64 %c, %ldb
  %ac = getelementptr inbounds double, ptr %a, i64 %ac0
  %bc = getelementptr inbounds double, ptr %b, i64 %bc0
  %best = call i64 @kt.pivot(ptr %a, i64 %n, i64 %lda, i64 %c)
  %same = icmp eq i64 %best, %c
  br i1 %same, label %scale, label %swap
swap:
  %ap0 = mul i64 %best, %lda
  %bp0 = mul i64 %best, %ldb
  %ap = getelementptr inbounds double, ptr %a, i64 %ap0
  %bp = getelementptr inbounds double, ptr %b, i64 %bp0
  call void @kt.swap(ptr %ac, ptr %ap, i64 %lda)
  call void @kt.swap(ptr %bc, ptr %bp, i64 %ldb)
  br label %scale
scale:
  %dp = getelementptr inbounds double, ptr %ac, i64 %c
  %d = load double, ptr %dp, align 8
  %inverse = fdiv double 1.0, %d
  call void @kt.scale(ptr %ac, double %inverse, i64 %lda)
  call void @kt.scale(ptr %bc, double %inverse, i64 %ldb)
  %nc = add i64 %c, 1
  br label %rowtest
rowtest:
  %r = phi i64 [ %nc, %scale ], [ %nr, %rowend ]
  %morer = icmp ult i64 %r, %n
  br i1 %morer, label %row, label %columnend
row:
  %ar0 = mul i64 %r, %lda
  %br0 = mul i64 %r, %ldb
  %ar = getelementptr inbounds double, ptr %a, i64 %ar0
  %brp = getelementptr inbounds double, ptr %b, i64 %br0
  %mp = getelementptr inbounds double, ptr %ar, i64 %c
  %m = load double, ptr %mp, align 8
  %zero = fcmp oeq double %m, 0.0
  br i1 %zero, label %rowend, label %work
work:
  call void @kt.subtract(ptr %ar, ptr %ac, double %m, i64 %c, i64 %lda)
  call void @kt.subtract(ptr %brp, ptr %bc, double %m, i64 0, i64 %ldb)
  br label %rowend
rowend:
  %nr = add i64 %r, 1
  br label %rowtest
columnend:
  %morec = icmp ult i64 %nc, %n
  br i1 %morec, label %column, label %back
back:
  %e = phi i64 [ %n, %columnend ], [ %k, %backend ]
  %k = sub i64 %e, 1
  %bk0 = mul i64 %k, %ldb
  %bk = getelementptr inbounds double, ptr %b, i64 %bk0
  %some = icmp ugt i64 %k, 0
  br i1 %some, label %up, label %done
up:
  %u = phi i64 [ 0, %back ], [ %nu, %upend ]
  %au0 = mul i64 %u, %lda
  %au1 = add i64 %au0, %k
  %aup = getelementptr inbounds double, ptr %a, i64 %au1
  %mu = load double, ptr %aup, align 8
  %bu0 = mul i64 %u, %ldb
  %bu = getelementptr inbounds double, ptr %b, i64 %bu0
  %zerou = fcmp oeq double %mu, 0.0
  br i1 %zerou, label %upend, label %upwork
upwork:
  call void @kt.subtract(ptr %bu, ptr %bk, double %mu, i64 0, i64 %ldb)
  br label %upend
upend:
  %nu = add i64 %u, 1
  %moreu = icmp ult i64 %nu, %k
  br i1 %moreu, label %up, label %backend
backend:
  br label %back
done:
  ret void
}
"""
"""`void kt.eliminate(double* a, double* b, n, lda, ldb)`: a x = b, the solution in place of b."""


LANES_ELIMINATION = """\
define internal void @kt.lanes.subtract(ptr %to, ptr %from, <8 x double> %m, i64 %count) nounwind {
entry:
  %some = icmp sgt i64 %count, 0
  br i1 %some, label %step, label %done
step:
  %j = phi i64 [ 0, %entry ], [ %next, %step ]
  %p = getelementptr inbounds <8 x double>, ptr %to, i64 %j
  %q = getelementptr inbounds <8 x double>, ptr %from, i64 %j
  %u = load <8 x double>, ptr %p, align 8
  %v = load <8 x double>, ptr %q, align 8
  %w = fmul contract <8 x double> %m, %v
  %d = fsub contract <8 x double> %u, %w
  store <8 x double> %d, ptr %p, align 8
  %next = add i64 %j, 1
  %more = icmp ult i64 %next, %count
  br i1 %more, label %step, label %done
done:
  ret void
}

define internal void @kt.lanes.swap(ptr %a, ptr %b, i8 %mask, i64 %count) nounwind {
entry:
  %flags = bitcast i8 %mask to <8 x i1>
  br label %step
step:
  %j = phi i64 [ 0, %entry ], [ %next, %step ]
  %p = getelementptr inbounds <8 x double>, ptr %a, i64 %j
  %q = getelementptr inbounds <8 x double>, ptr %b, i64 %j
  %u = load <8 x double>, ptr %p, align 8
  %v = load <8 x double>, ptr %q, align 8
  %up = select <8 x i1> %flags, <8 x double> %v, <8 x double> %u
  %down = select <8 x i1> %flags, <8 x double> %u, <8 x double> %v
  store <8 x double> %up, ptr %p, align 8
  store <8 x double> %down, ptr %q, align 8
  %next = add i64 %j, 1
  %more = icmp ult i64 %next, %count
  br i1 %more, label %step, label %done
done:
  ret void
}

define internal void @kt.eliminate.lanes(ptr %a, ptr %b, i64 %n, i64 %k) \
nounwind noinline alignstack(64) {
entry:
  br label %column
column:
  %c = phi i64 [ 0, %entry ], [ %nc, %columnend ]
  %nc = add i64 %c, 1
  %left = sub i64 %n, %c
  %after = sub i64 %left, 1
  %c0 = mul i64 %c, %n
  %cc = add i64 %c0, %c
  %pivot = getelementptr inbounds <8 x double>, ptr %a, i64 %cc
  %beyond = getelementptr inbounds <8 x double>, ptr %pivot, i64 1
  %ck = mul i64 %c, %k
  %bc = getelementptr inbounds <8 x double>, ptr %b, i64 %ck
  br label %ranktest
ranktest:
  %s = phi i64 [ %nc, %column ], [ %ns, %rankend ]
  %mores = icmp ult i64 %s, %n
  br i1 %mores, label %rank, label %scale
rank:
  %s0 = mul i64 %s, %n
  %sc = add i64 %s0, %c
  %sp = getelementptr inbounds <8 x double>, ptr %a, i64 %sc
  %here = load <8 x double>, ptr %pivot, align 8
  %there = load <8 x double>, ptr %sp, align 8
  %size = call <8 x double> @llvm.fabs.v8f64(<8 x double> %here)
  %other = call <8 x double> @llvm.fabs.v8f64(<8 x double> %there)
  %larger = fcmp ogt <8 x double> %other, %size
  %mask = bitcast <8 x i1> %larger to i8
  %none = icmp eq i8 %mask, 0
  br i1 %none, label %rankend, label %swap
swap:
  %sk = mul i64 %s, %k
  %bs = getelementptr inbounds <8 x double>, ptr %b, i64 %sk
  call void @kt.lanes.swap(ptr %pivot, ptr %sp, i8 %mask, i64 %left)
  call void @kt.lanes.swap(ptr %bc, ptr %bs, i8 %mask, i64 %k)
  br label %rankend
rankend:
  %ns = add i64 %s, 1
  br label %ranktest
scale:
  %d = load <8 x double>, ptr %pivot, align 8
  %inverse = fdiv <8 x double> <double 1.0, double 1.0, double 1.0, double 1.0, double 1.0, \
double 1.0, double 1.0, double 1.0>, %d
  store <8 x double> %inverse, ptr %pivot, align 8
  br label %rowtest
rowtest:
  %r = phi i64 [ %nc, %scale ], [ %nr, %rowend ]
  %morer = icmp ult i64 %r, %n
  br i1 %morer, label %row, label %columnend
row:
  %r0 = mul i64 %r, %n
  %rc = add i64 %r0, %c
  %rp = getelementptr inbounds <8 x double>, ptr %a, i64 %rc
  %first = load <8 x double>, ptr %rp, align 8
  %full = fcmp une <8 x double> %first, zeroinitializer
  %fullbits = bitcast <8 x i1> %full to i8
  %empty = icmp eq i8 %fullbits, 0
  br i1 %empty, label %rowend, label %work
work:
  %m = fmul <8 x double> %first, %inverse
  %rest = getelementptr inbounds <8 x double>, ptr %rp, i64 1
  %rk = mul i64 %r, %k
  %brow = getelementptr inbounds <8 x double>, ptr %b, i64 %rk
  call void @kt.lanes.subtract(ptr %rest, ptr %beyond, <8 x double> %m, i64 %after)
  call void @kt.lanes.subtract(ptr %brow, ptr %bc, <8 x double> %m, i64 %k)
  br label %rowend
rowend:
  %nr = add i64 %r, 1
  br label %rowtest
columnend:
  %morec = icmp ult i64 %nc, %n
  br i1 %morec, label %column, label %back
back:
  %e = phi i64 [ %n, %columnend ], [ %x, %upend ]
  %x = sub i64 %e, 1
  %x0 = mul i64 %x, %n
  %xx = add i64 %x0, %x
  %xp = getelementptr inbounds <8 x double>, ptr %a, i64 %xx
  %turn = load <8 x double>, ptr %xp, align 8
  %xk = mul i64 %x, %k
  %bx = getelementptr inbounds <8 x double>, ptr %b, i64 %xk
  br label %divide
divide:
  %j = phi i64 [ 0, %back ], [ %nj, %divide ]
  %jp = getelementptr inbounds <8 x double>, ptr %bx, i64 %j
  %y = load <8 x double>, ptr %jp, align 8
  %z = fmul <8 x double> %y, %turn
  store <8 x double> %z, ptr %jp, align 8
  %nj = add i64 %j, 1
  %morej = icmp ult i64 %nj, %k
  br i1 %morej, label %divide, label %uptest
uptest:
  %u = phi i64 [ 0, %divide ], [ %nu, %up ]
  %moreu = icmp ult i64 %u, %x
  br i1 %moreu, label %up, label %upend
up:
  %u0 = mul i64 %u, %n
  %ux = add i64 %u0, %x
  %upp = getelementptr inbounds <8 x double>, ptr %a, i64 %ux
  %mu = load <8 x double>, ptr %upp, align 8
  %uk = mul i64 %u, %k
  %bu = getelementptr inbounds <8 x double>, ptr %b, i64 %uk
  call void @kt.lanes.subtract(ptr %bu, ptr %bx, <8 x double> %mu, i64 %k)
  %nu = add i64 %u, 1
  br label %uptest
upend:
  %again = icmp ugt i64 %x, 0
  br i1 %again, label %back, label %done
done:
  ret void
}
"""
"""`void kt.eliminate.lanes(double* a, double* b, n, k)`: eight systems in lanes, as above."""
