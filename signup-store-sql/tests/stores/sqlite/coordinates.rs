//! SQLite's texts of numbers.

use sqlx::{Connection as _, SqliteConnection};

/// SQLite prints no sign of zero, so the comparison treats `-0.0` as equal to `0.0`.
#[tokio::test]
async fn a_coordinate_reads_back_to_the_last_bit() {
    let mut connection = SqliteConnection::connect("sqlite::memory:").await.unwrap();
    // A plain generator is random enough for digits, and fails the same way each time.
    let mut state = 1_u64;
    let degrees: Vec<f64> = (0..100_000)
        .map(|n| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // 52 random bits from 1 to 2, moved to another size each time.
            f64::from_bits((state >> 12) | 0x3ff0_0000_0000_0000) * 2_f64.powi(6 - n % 60)
        })
        .chain([0.0, -0.0, 90.0, -180.0, 5e-324, 0.1, 1e-9, 179.999_999_999_999_97])
        .collect();
    for batch in degrees.chunks(100) {
        let row = format!("json_array({})", vec!["format('%!.17g', ?)"; batch.len()].join(", "));
        let mut query = sqlx::query_scalar::<_, String>(sqlx::AssertSqlSafe(format!("SELECT {row}")));
        for degrees in batch {
            query = query.bind(degrees);
        }
        let json = query.fetch_one(&mut connection).await.unwrap();
        let texts: Vec<String> = serde_json::from_str(&json).unwrap();
        for (text, degrees) in texts.iter().zip(batch) {
            let read = text.parse::<f64>().unwrap();
            assert!(read == *degrees, "{text} for {degrees:?}");
        }
    }
}
