//! What operations on rows and scalars compute, stated once.
//!
//! A match over the operations that only compute, to which a loop adds its own arms. The loop brings three macros: `pred!(d, value)`
//! gives a predicate its bits, `row!(file[d], |x = file[a], ..| value)` computes a row lane by lane, and `isa!()` is the
//! instruction set. Macros are looked up by name where they are used, variables are not; so the register files are arguments.

/// A row from two of reals.
macro_rules! reals {
    ($file:ident $real:ident $r:expr, $f:path) => {
        row!($file[$r.d], |x = $file[$r.a], y = $file[$r.b]| $f($real::from_bits(x), $real::from_bits(y)).to_bits())
    };
}

/// A row from two of integers.
macro_rules! ints {
    ($file:ident $int:ident $uint:ident $r:expr, $f:path) => {
        row!($file[$r.d], |x = $file[$r.a], y = $file[$r.b]| $f(x as $int, y as $int) as $uint)
    };
}

/// A row from one of the same or another file.
macro_rules! one {
    ($to:ident from $file:ident $r:expr, |$x:ident| $value:expr) => {
        row!($to[$r.d], |$x = $file[$r.a]| $value)
    };
}

/// A row from three.
macro_rules! three {
    ($file:ident $r:expr, |$x:ident, $y:ident, $z:ident| $value:expr) => {
        row!($file[$r.d], |$x = $file[$r.a], $y = $file[$r.b], $z = $file[$r.c]| $value)
    };
}

/// The bits of a comparison.
macro_rules! compare {
    ($file:ident $r:expr, |$x:ident, $y:ident| $value:expr) => {
        pred!($r.d, bits(isa!(), &$file[$r.a as usize], &$file[$r.b as usize], |$x, $y| $value))
    };
}

/// The bits of a comparison of integers.
macro_rules! compare_ints {
    ($file:ident $int:ident $r:expr, $o:tt) => {
        compare!($file $r, |x, y| (x as $int) $o (y as $int))
    };
}

/// The bits of a comparison of reals.
macro_rules! compare_reals {
    ($file:ident $real:ident $r:expr, $o:tt) => {
        compare!($file $r, |x, y| $real::from_bits(x) $o $real::from_bits(y))
    };
}

/// A scalar from two.
macro_rules! scalar2 {
    ($scalars:ident $r:expr, $f:expr) => {{
        let (x, y) = ($scalars[$r.a as usize], $scalars[$r.b as usize]);
        $scalars[$r.d as usize] = $f(x, y);
    }};
}

/// Does the operation, or what one of the arms that follow says.
macro_rules! compute {
    ($Op:ident: $op:expr; $preds:ident, $words:ident, $longs:ident, $scalars:ident; $($more:tt)*) => {
        match $op {
            $Op::MovP(r) => pred!(r.d, $preds[r.a as usize]),
            $Op::NotP(r) => pred!(r.d, !$preds[r.a as usize]),
            $Op::AndP(r) => pred!(r.d, $preds[r.a as usize] & $preds[r.b as usize]),
            $Op::OrP(r) => pred!(r.d, $preds[r.a as usize] | $preds[r.b as usize]),
            $Op::XorP(r) => pred!(r.d, $preds[r.a as usize] ^ $preds[r.b as usize]),
            $Op::SelP(r) => {
                let p = $preds[r.c as usize];
                pred!(r.d, p & $preds[r.a as usize] | !p & $preds[r.b as usize]);
            }
            $Op::Mov32(r) => one!($words from $words r, |x| x),
            $Op::AddI32(r) => ints!($words i32 u32 r, int::add),
            $Op::SubI32(r) => ints!($words i32 u32 r, int::sub),
            $Op::MulI32(r) => ints!($words i32 u32 r, int::mul),
            $Op::And32(r) => ints!($words i32 u32 r, int::and),
            $Op::Or32(r) => ints!($words i32 u32 r, int::or),
            $Op::Xor32(r) => ints!($words i32 u32 r, int::xor),
            $Op::MinI32(r) => ints!($words i32 u32 r, int::min),
            $Op::MaxI32(r) => ints!($words i32 u32 r, int::max),
            $Op::AddF32(r) => reals!($words f32 r, real::add),
            $Op::SubF32(r) => reals!($words f32 r, real::sub),
            $Op::MulF32(r) => reals!($words f32 r, real::mul),
            $Op::DivF32(r) => reals!($words f32 r, real::div),
            $Op::MinF32(r) => reals!($words f32 r, real::min),
            $Op::MaxF32(r) => reals!($words f32 r, real::max),
            $Op::NegF32(r) => one!($words from $words r, |x| real::neg(f32::from_bits(x)).to_bits()),
            $Op::AbsF32(r) => one!($words from $words r, |x| real::abs(f32::from_bits(x)).to_bits()),
            $Op::SqrtF32(r) => one!($words from $words r, |x| real::sqrt(f32::from_bits(x)).to_bits()),
            $Op::FmaF32(r) => three!($words r, |x, y, z| {
                real::fma(f32::from_bits(x), f32::from_bits(y), f32::from_bits(z)).to_bits()
            }),
            $Op::MadI32(r) => three!($words r, |x, y, z| x.wrapping_mul(y).wrapping_add(z)),
            $Op::Sel32(r) => {
                let m = &[masks::<W, _>(isa!(), $preds[r.c as usize])];
                row!($words[r.d], |x = $words[r.a], y = $words[r.b], m = m[0]| x & m | y & !m);
            }
            $Op::EqI32(r) => compare_ints!($words i32 r, ==),
            $Op::NeI32(r) => compare_ints!($words i32 r, !=),
            $Op::LtI32(r) => compare_ints!($words i32 r, <),
            $Op::LeI32(r) => compare_ints!($words i32 r, <=),
            $Op::GtI32(r) => compare_ints!($words i32 r, >),
            $Op::GeI32(r) => compare_ints!($words i32 r, >=),
            $Op::LtU32(r) => compare_ints!($words u32 r, <),
            $Op::GeU32(r) => compare_ints!($words u32 r, >=),
            $Op::EqF32(r) => compare_reals!($words f32 r, ==),
            $Op::NeF32(r) => compare_reals!($words f32 r, !=),
            $Op::LtF32(r) => compare_reals!($words f32 r, <),
            $Op::LeF32(r) => compare_reals!($words f32 r, <=),
            $Op::GtF32(r) => compare_reals!($words f32 r, >),
            $Op::GeF32(r) => compare_reals!($words f32 r, >=),
            $Op::Mov64(r) => one!($longs from $longs r, |x| x),
            $Op::AddI64(r) => ints!($longs i64 u64 r, int::add),
            $Op::SubI64(r) => ints!($longs i64 u64 r, int::sub),
            $Op::MulI64(r) => ints!($longs i64 u64 r, int::mul),
            $Op::And64(r) => ints!($longs i64 u64 r, int::and),
            $Op::Or64(r) => ints!($longs i64 u64 r, int::or),
            $Op::Xor64(r) => ints!($longs i64 u64 r, int::xor),
            $Op::MinI64(r) => ints!($longs i64 u64 r, int::min),
            $Op::MaxI64(r) => ints!($longs i64 u64 r, int::max),
            $Op::AddF64(r) => reals!($longs f64 r, real::add),
            $Op::SubF64(r) => reals!($longs f64 r, real::sub),
            $Op::MulF64(r) => reals!($longs f64 r, real::mul),
            $Op::DivF64(r) => reals!($longs f64 r, real::div),
            $Op::MinF64(r) => reals!($longs f64 r, real::min),
            $Op::MaxF64(r) => reals!($longs f64 r, real::max),
            $Op::NegF64(r) => one!($longs from $longs r, |x| real::neg(f64::from_bits(x)).to_bits()),
            $Op::AbsF64(r) => one!($longs from $longs r, |x| real::abs(f64::from_bits(x)).to_bits()),
            $Op::SqrtF64(r) => one!($longs from $longs r, |x| real::sqrt(f64::from_bits(x)).to_bits()),
            $Op::FmaF64(r) => three!($longs r, |x, y, z| {
                real::fma(f64::from_bits(x), f64::from_bits(y), f64::from_bits(z)).to_bits()
            }),
            $Op::MadI64(r) => three!($longs r, |x, y, z| x.wrapping_mul(y).wrapping_add(z)),
            $Op::Sel64(r) => {
                let m = &[wide_masks::<W, _>(isa!(), $preds[r.c as usize])];
                row!($longs[r.d], |x = $longs[r.a], y = $longs[r.b], m = m[0]| x & m | y & !m);
            }
            $Op::EqI64(r) => compare_ints!($longs i64 r, ==),
            $Op::NeI64(r) => compare_ints!($longs i64 r, !=),
            $Op::LtI64(r) => compare_ints!($longs i64 r, <),
            $Op::LeI64(r) => compare_ints!($longs i64 r, <=),
            $Op::GtI64(r) => compare_ints!($longs i64 r, >),
            $Op::GeI64(r) => compare_ints!($longs i64 r, >=),
            $Op::LtU64(r) => compare_ints!($longs u64 r, <),
            $Op::GeU64(r) => compare_ints!($longs u64 r, >=),
            $Op::EqF64(r) => compare_reals!($longs f64 r, ==),
            $Op::NeF64(r) => compare_reals!($longs f64 r, !=),
            $Op::LtF64(r) => compare_reals!($longs f64 r, <),
            $Op::LeF64(r) => compare_reals!($longs f64 r, <=),
            $Op::GtF64(r) => compare_reals!($longs f64 r, >),
            $Op::GeF64(r) => compare_reals!($longs f64 r, >=),
            $Op::I32ToI64(r) => one!($longs from $words r, |x| i64::from(x as i32) as u64),
            $Op::I64ToI32(r) => one!($words from $longs r, |x| x as u32),
            $Op::I32ToF32(r) => one!($words from $words r, |x| (x as i32 as f32).to_bits()),
            $Op::I32ToF64(r) => one!($longs from $words r, |x| f64::from(x as i32).to_bits()),
            $Op::I64ToF64(r) => one!($longs from $longs r, |x| (x as i64 as f64).to_bits()),
            $Op::F32ToF64(r) => one!($longs from $words r, |x| convert::widen(f32::from_bits(x)).to_bits()),
            $Op::F64ToF32(r) => one!($words from $longs r, |x| convert::narrow(f64::from_bits(x)).to_bits()),
            $Op::F32ToI32(r) => {
                one!($words from $words r, |x| convert::trunc_to_int::<f32, i32>(f32::from_bits(x)) as u32);
            }
            $Op::F64ToI32(r) => {
                one!($words from $longs r, |x| convert::trunc_to_int::<f64, i32>(f64::from_bits(x)) as u32);
            }
            $Op::UMov(r) => $scalars[r.d as usize] = $scalars[r.a as usize],
            $Op::UAddI32(r) => scalar2!($scalars r, add_words),
            $Op::USubI32(r) => scalar2!($scalars r, |x: u64, y: u64| u64::from((x as u32).wrapping_sub(y as u32))),
            $Op::UMulI32(r) => scalar2!($scalars r, |x: u64, y: u64| u64::from((x as u32).wrapping_mul(y as u32))),
            $Op::UAddI64(r) => scalar2!($scalars r, u64::wrapping_add),
            $Op::USubI64(r) => scalar2!($scalars r, u64::wrapping_sub),
            $Op::UMulI64(r) => scalar2!($scalars r, u64::wrapping_mul),
            $Op::UI32ToI64(r) => $scalars[r.d as usize] = signed($scalars[r.a as usize], true) as u64,
            $Op::UCmp { op, wide, r } => pred!(r.d, if holds(op, wide, r, $scalars) { u32::MAX } else { 0 }),
            $Op::Splat32(r) => {
                let x = [[$scalars[r.a as usize] as u32; W]];
                row!($words[r.d], |x = x[0]| x);
            }
            $Op::Splat64(r) => {
                let x = [[$scalars[r.a as usize]; W]];
                row!($longs[r.d], |x = x[0]| x);
            }
            $($more)*
        }
    };
}
