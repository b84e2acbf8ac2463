"""Gaussian elimination with row pivoting, as LLVM IR for any size.

Rows are padded to whole vectors of eight doubles, so the inner loops have no remainder; what stands
in the padding is never read as a result.
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

define internal void @kt.copy(ptr %to, i64 %tr, i64 %tc, ptr %from, i64 %fr, i64 %fc, \
i64 %rows, i64 %columns) nounwind {
entry:
  br label %row
row:
  %i = phi i64 [ 0, %entry ], [ %ni, %rowend ]
  %ti = mul i64 %i, %tr
  %fi = mul i64 %i, %fr
  br label %column
column:
  %j = phi i64 [ 0, %row ], [ %nj, %column ]
  %tj = mul i64 %j, %tc
  %fj = mul i64 %j, %fc
  %ta = add i64 %ti, %tj
  %fa = add i64 %fi, %fj
  %tp = getelementptr inbounds double, ptr %to, i64 %ta
  %fp = getelementptr inbounds double, ptr %from, i64 %fa
  %v = load double, ptr %fp, align 8
  store double %v, ptr %tp, align 8
  %nj = add i64 %j, 1
  %morej = icmp ult i64 %nj, %columns
  br i1 %morej, label %column, label %rowend
rowend:
  %ni = add i64 %i, 1
  %morei = icmp ult i64 %ni, %rows
  br i1 %morei, label %row, label %done
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
