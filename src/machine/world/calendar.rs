//! Calendar arithmetic for `DATE_AND_TIME`, in UTC.
//!
//! The days-to-date conversion is Howard Hinnant's `civil_from_days` ("chrono-Compatible Low-Level Date Algorithms").

use std::time::{SystemTime, UNIX_EPOCH};

/// Year, month and day of a number of days since 1 January 1970.
fn civil(days: i64) -> (i64, i64, i64) {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let doe = z.rem_euclid(146_097);
    let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let day = doy - (153 * mp + 2) / 5 + 1;
    let month = if mp < 10 { mp + 3 } else { mp - 9 };
    (yoe + era * 400 + i64::from(month <= 2), month, day)
}

/// The VALUES of `DATE_AND_TIME` for milliseconds since the beginning of 1970: year, month, day, minutes from UTC (0), hour,
/// minute, second, millisecond.
pub(crate) fn date(milliseconds: i64) -> [i32; 8] {
    let (days, rest) = (milliseconds.div_euclid(86_400_000), milliseconds.rem_euclid(86_400_000));
    let (year, month, day) = civil(days);
    let seconds = rest / 1000;
    [year, month, day, 0, seconds / 3600, seconds / 60 % 60, seconds % 60, rest % 1000].map(|n| n as i32)
}

/// The same for this moment.
pub(crate) fn date_now() -> [i32; 8] {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    date(since.as_millis() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_follow_the_calendar() {
        assert_eq!(date(0), [1970, 1, 1, 0, 0, 0, 0, 0]);
        assert_eq!(date(951_782_400_000), [2000, 2, 29, 0, 0, 0, 0, 0]);
        assert_eq!(date(1_709_251_199_999), [2024, 2, 29, 0, 23, 59, 59, 999]);
        assert_eq!(date(-1), [1969, 12, 31, 0, 23, 59, 59, 999]);
    }
}
