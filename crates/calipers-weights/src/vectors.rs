//! Functions compiled twice: for any processor, and for AVX2, which is used where it is there.

/// Defines a function that runs with the widest vectors that are sure to return the same result: its
/// body says which sums run side by side, and FMA, which would round differently, stays off.
macro_rules! vectorized {
    ($(#[$doc:meta])* $visibility:vis fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)? $body:block) => {
        $(#[$doc])*
        $visibility fn $name($($argument: $type),*) $(-> $result)? {
            #[inline(always)]
            fn anywhere($($argument: $type),*) $(-> $result)? $body

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2")]
            fn with_avx2($($argument: $type),*) $(-> $result)? {
                anywhere($($argument),*)
            }

            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx2") {
                #[expect(unsafe_code, reason = "a function that needs AVX2 is unsafe to call")]
                // SAFETY: the line above found AVX2 on this processor.
                return unsafe { with_avx2($($argument),*) };
            }
            anywhere($($argument),*)
        }
    };
}

pub(crate) use vectorized;
