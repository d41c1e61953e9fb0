//! Migrations: the table `_sqlx_migrations`, by which databases of earlier versions are recognized.

use rstest::rstest;
use signup_core::Write;

use crate::records::Engine::{Postgres, Sqlite};
use crate::records::{Database, Engine, migrations_folder, organization, writes};

/// Version, description and checksum (SHA-384, in hexadecimal digits) of a migration.
type Row = (usize, &'static str, &'static str);

/// Rows that version 1.0.0 of this crate wrote on SQLite.
const SQLITE_1_0_0: &[Row] = &[
    (
        1,
        "initial",
        "e06c8db414696f290f008d404d63072d5651e763d27281f5b20d8b85879731887ff8553bfc4365e9f92b753d5a1f2273",
    ),
    (
        2,
        "mails",
        "9839ea93d008e27751e239a1d710369a4f89f2ba994b31ccc9567615fa2e3cb8cdeb2f095969ba24d78319c9f4654618",
    ),
    (
        3,
        "receipts",
        "6787c5c54a69f10da3682ca4e24da0d0b10f9bb4fbde0fb187b2ae62983374d823020076fe85ee35485db856e07fd70b",
    ),
    (
        4,
        "receipts",
        "a46e37121af8d542caa260dc30da25529112c3500e11c5b6d72cea6789b85400639bf67964d15cecb0f377a49c4b6718",
    ),
];

/// Rows that version 1.0.0 of this crate wrote on PostgreSQL.
const POSTGRES_1_0_0: &[Row] = &[
    (
        1,
        "initial",
        "8383883f0922272d5be29bc8e3a49b34bed045dbd4ff7893bc84d49a73fc2707721fb135cf8273b1d0a14cca4b1fe2e2",
    ),
    (
        2,
        "locks",
        "f3d22d1065a4095e7b171d3389ce5941a3b93cc9d30b7332bdcce7b1b3e35545a1c79bffe40a9c449b0691d8f5f9bff3",
    ),
    (
        3,
        "mails",
        "3eccdf9ad4e176e8cb4816564268d198b87cdc4c5ec7dfa18cbba84c5e2b660fca111e64ef2f9314a4fcc1686669d3c4",
    ),
    (
        4,
        "sign ups",
        "8ba13ab2df07126df1b5ff461fcf450c13414373f5d3d9e8191de6f66c85fc1ce2ef8116c28e287aa9aa7238fa2439f4",
    ),
    (
        5,
        "json",
        "250fcf652c8b273a29893ca6150a76dec42f04bf0c4d0e8cdb90527e3af217c87a23e8589b3d2305a9dfe59f811343d9",
    ),
];

fn rows_of_1_0_0(engine: Engine) -> &'static [Row] {
    match engine {
        Sqlite => SQLITE_1_0_0,
        Postgres => POSTGRES_1_0_0,
    }
}

/// Returns the rows of `_sqlx_migrations`, each as version, description and checksum in one text.
async fn stored_rows(database: &Database, engine: Engine) -> Vec<String> {
    let checksum = match engine {
        Sqlite => "lower(hex(checksum))",
        Postgres => "encode(checksum, 'hex')",
    };
    let rows = format!(
        "SELECT version || ' ' || description || ' ' || {checksum} FROM _sqlx_migrations ORDER BY version"
    );
    database.texts(&rows).await
}

#[rstest]
#[tokio::test]
async fn a_new_database_has_the_migration_rows_of_1_0_0(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(database) = Database::new(engine).await else { return };
    let expected = rows_of_1_0_0(engine)
        .iter()
        .map(|(version, description, checksum)| format!("{version} {description} {checksum}"));
    let stored = stored_rows(&database, engine).await.into_iter().take(expected.len());
    assert_eq!(stored.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
}

#[rstest]
#[tokio::test]
async fn a_database_of_1_0_0_opens_and_serves(#[values(Sqlite, Postgres)] engine: Engine) {
    let rows = rows_of_1_0_0(engine);
    let Some((database, records)) = Database::version(engine, rows.len()).await else { return };
    database.run("DELETE FROM _sqlx_migrations").await.unwrap();
    for (version, description, checksum) in rows {
        let checksum = match engine {
            Sqlite => format!("x'{checksum}'"),
            Postgres => format!("decode('{checksum}', 'hex')"),
        };
        let row = format!(
            "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
             VALUES ({version}, '{description}', TRUE, {checksum}, 0)"
        );
        assert_eq!(database.run(&row).await.unwrap(), 1);
    }
    let store = database.open().await.unwrap();
    let (signup, other) = (&records.signup, organization(2));
    assert!(store.signup(signup.organization, signup.id).await.unwrap().is_some());
    store.commit(writes([Write::InsertOrganization(other.clone())])).await.unwrap();
    assert_eq!(store.organization(other.id).await.unwrap(), Some(other));
}

#[rstest]
#[tokio::test]
async fn a_new_database_has_the_migration_of_every_file(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(database) = Database::new(engine).await else { return };
    let mut files: Vec<_> = std::fs::read_dir(migrations_folder(engine))
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    let names = match engine {
        Sqlite => "printf('%04d_%s.sql', version, replace(description, ' ', '_'))",
        Postgres => "to_char(version, 'FM0000') || '_' || replace(description, ' ', '_') || '.sql'",
    };
    let migrated = database.texts(&format!("SELECT {names} FROM _sqlx_migrations ORDER BY version")).await;
    assert_eq!(migrated, files);
}
