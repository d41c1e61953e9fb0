//! Migration of a database: its tables, and the sort keys that follow the zone data. Both are one transaction, because several
//! processes may open a database at once, and a process may end at any instant.

use signup_core::StoreError;
use sqlx::SqlStr;
use sqlx::migrate::{MigrateError, Migration, MigrationType, Migrator};

use crate::sql::error::OpenError;

/// A migration: the file `migrations/<engine>/<version>_<description>.sql`.
pub(crate) struct Script {
    version: i64,
    description: &'static str,
    sql: &'static str,
}

impl Script {
    /// Returns the migration whose file has the name `name`, without `.sql`, and the content `sql`.
    ///
    /// # Panics
    /// If `name` is not four digits, `_` and a description. [`scripts`] calls this function during compilation only.
    pub(crate) const fn new(name: &'static str, sql: &'static str) -> Self {
        let (version, rest) = name.split_at(4);
        let (separator, description) = rest.split_at(1);
        match i64::from_str_radix(version, 10) {
            Ok(version) if separator.as_bytes()[0] == b'_' => Self { version, description, sql },
            _ => panic!("the name of a migration is four digits, `_` and a description"),
        }
    }
}

/// Expands to a `&'static [Script]` of the files in the folder `migrations/$engine` that have the given names.
macro_rules! scripts {
    ($engine:literal: $($name:literal),+ $(,)?) => {
        const {
            &[$($crate::sql::migrations::Script::new(
                $name,
                include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/migrations/", $engine, "/", $name, ".sql")),
            )),+]
        }
    };
}
pub(crate) use scripts;

/// Returns a migrator that runs `scripts` in the order of their versions.
///
/// Versions, descriptions and checksums are those of `sqlx::migrate!`, because existing databases have them in the table
/// `_sqlx_migrations`. That macro itself is not used: its feature compiles sqlx and its drivers a second time, for the host.
pub(crate) fn migrator(scripts: &[Script]) -> Migrator {
    let migration = |script: &Script| {
        let description = script.description.replace('_', " ").into();
        let sql = SqlStr::from_static(script.sql);
        Migration::new(script.version, description, MigrationType::Simple, sql, false)
    };
    Migrator::with_migrations(scripts.iter().map(migration).collect())
}

pub(crate) fn cannot_migrate(name: &str, error: MigrateError) -> OpenError {
    let database = name.to_owned();
    match error {
        MigrateError::VersionMissing(version) => OpenError::Newer { database, version },
        source => OpenError::Migrate { database, source },
    }
}

pub(crate) fn cannot_read(name: &str, source: StoreError) -> OpenError {
    OpenError::Read { database: name.to_owned(), source }
}
