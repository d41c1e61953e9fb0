//! Columns, and how each is stored and selected.

/// How a column is stored and selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ColumnType {
    Text,
    Integer,
    Flag,
    /// A date, as `YYYY-MM-DD`.
    Date,
    /// A UUID.
    Id,
    /// The bytes of a SHA-256.
    Digest,
    /// A coordinate.
    Degrees,
    /// JSON, selected as text.
    Json,
}

/// A column in the result of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SelectedColumn {
    /// The alias of the table.
    pub(crate) alias: char,
    pub(crate) name: &'static str,
    pub(crate) of_type: ColumnType,
}
