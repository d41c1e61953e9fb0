//! What the pages of events and of sign-ups have in common.

use signup_core::Side;

use crate::sql::table::{Column, Kind, Table};

/// The columns of a page, which each row has beside those of a record. A page without records is one row, in which only these
/// columns have values. No record is written to this table.
pub(super) const PAGE: Table<()> = Table {
    name: "page",
    alias: 'p',
    key: &[],
    source: "",
    is_visible: |_, _| String::new(),
    selects: |table| table.columns(),
    read: |_| Ok(()),
    columns: &[Column::new(HAS_OTHER_SIDE, Kind::Flag, |()| false.into())],
};

/// Whether a record lies on the other side of the position.
pub(super) const HAS_OTHER_SIDE: &str = "has_other_side";

/// The default page length and one more row. The extra row shows whether another page follows.
const SHORT_PAGE: u32 = 26;
/// The longest page that clients can ask for, and one more row.
const LONG_PAGE: u32 = 101;

/// Returns how many rows a statement reads for a page of `limit` records: at least one more.
///
/// There are two numbers instead of one for each length of a page, because a connection keeps only a few statements prepared.
pub(super) fn row_limit(limit: u32) -> u32 {
    if limit < SHORT_PAGE { SHORT_PAGE } else { limit.max(LONG_PAGE - 1) + 1 }
}

/// Removes the rows beyond a page of `limit` records from `rows`, which are in list order. Returns whether the list goes on
/// above the page, and whether it goes on below.
pub(super) fn cut<T>(
    rows: &mut Vec<T>,
    limit: u32,
    side: Option<Side>,
    has_other_side: bool,
) -> (bool, bool) {
    let limit = limit as usize;
    let surplus = rows.len().saturating_sub(limit);
    if side == Some(Side::Above) {
        drop(rows.drain(..surplus));
        (surplus > 0, has_other_side)
    } else {
        rows.truncate(limit);
        (has_other_side, surplus > 0)
    }
}
