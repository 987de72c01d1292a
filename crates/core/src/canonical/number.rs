//! Numbers as in RFC 8785: the shortest text that reads back as the same double.
//!
//! *Invariants*: no whole number outside ±(2^53 − 1) is written without an exponent, neither from an integer nor from a
//! float: a reader would take such digits for an integer that it cannot represent exactly. From 10^21 on the canonical
//! form has an exponent, and stays a float for every reader.

use super::error::CanonicalError;
use crate::bounds::INTEGER_MAX;

/// Smallest whole double that is written with an exponent.
const EXPONENT_FROM: f64 = 1e21;

/// Appends an integer.
pub(super) fn write_integer<I>(value: I, out: &mut Vec<u8>) -> Result<(), CanonicalError>
where
    I: itoa::Integer + Copy + std::fmt::Display + TryInto<i64>,
{
    match value.try_into() {
        Ok(small) if small.unsigned_abs() <= INTEGER_MAX => {
            out.extend_from_slice(itoa::Buffer::new().format(small).as_bytes());
            Ok(())
        }
        _ => Err(CanonicalError::out_of_range(value)),
    }
}

/// Appends a float, unless its canonical form would read as an integer that is too large.
pub(super) fn write_float(value: f64, out: &mut Vec<u8>) -> Result<(), CanonicalError> {
    if !value.is_finite() {
        let value = match value {
            f64::INFINITY => "inf",
            f64::NEG_INFINITY => "-inf",
            _ => "NaN",
        };
        return Err(CanonicalError::NotFinite { value });
    }
    // Every double of at least 2^53 is whole, so its digits would look like an integer until the exponent appears.
    #[expect(clippy::cast_precision_loss, reason = "2^53 − 1 is exact in a double")]
    let exact = value.abs() <= INTEGER_MAX as f64 || value.abs() >= EXPONENT_FROM;
    if !exact {
        return Err(CanonicalError::out_of_range(value));
    }
    write_double(value, out);
    Ok(())
}

/// Appends any finite double in its canonical form. Minus zero is `0`.
fn write_double(value: f64, out: &mut Vec<u8>) {
    out.extend_from_slice(ryu_js::Buffer::new().format_finite(value).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn double(value: f64) -> String {
        let mut out = Vec::new();
        write_double(value, &mut out);
        String::from_utf8(out).unwrap()
    }

    /// RFC 8785, appendix B, without its two rows that are not numbers.
    const APPENDIX_B: &[(u64, &str)] = &[
        (0x0000_0000_0000_0000, "0"),
        (0x8000_0000_0000_0000, "0"),
        (0x0000_0000_0000_0001, "5e-324"),
        (0x8000_0000_0000_0001, "-5e-324"),
        (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
        (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
        (0x4340_0000_0000_0000, "9007199254740992"),
        (0xc340_0000_0000_0000, "-9007199254740992"),
        (0x4430_0000_0000_0000, "295147905179352830000"),
        (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
        (0x44b5_2d02_c7e1_4af6, "1e+23"),
        (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
        (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
        (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
        (0x444b_1ae4_d6e2_ef50, "1e+21"),
        (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
        (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
        (0x41b3_de43_5555_5553, "333333333.3333332"),
        (0x41b3_de43_5555_5554, "333333333.33333325"),
        (0x41b3_de43_5555_5555, "333333333.3333333"),
        (0x41b3_de43_5555_5556, "333333333.3333334"),
        (0x41b3_de43_5555_5557, "333333333.33333343"),
        (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
        (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
    ];

    // shows: WR-001
    #[test]
    fn doubles_have_the_form_that_the_rfc_lists() {
        for (bits, expected) in APPENDIX_B {
            assert_eq!(double(f64::from_bits(*bits)), *expected, "{bits:016x}");
        }
    }

    // shows: WR-001
    #[test]
    fn a_listed_double_is_written_unless_its_digits_would_read_as_an_unsafe_integer() {
        for (bits, expected) in APPENDIX_B {
            let mut out = Vec::new();
            let written = write_float(f64::from_bits(*bits), &mut out);
            let read_back = expected.trim_start_matches('-').parse::<u128>();
            if read_back.is_ok_and(|whole| whole > u128::from(INTEGER_MAX)) {
                assert!(written.is_err(), "{expected}");
            } else {
                assert_eq!((written, out.as_slice()), (Ok(()), expected.as_bytes()));
            }
        }
    }
}
