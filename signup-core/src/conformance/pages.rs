//! Pages: what a list returns at a position.

use crate::*;

/// Returns the page of `list` at a position: the records on its side nearest to it, and where the list continues. The list is in
/// its order. `is_below` tells whether a record is below the position.
pub(super) fn page_at<T: Listed<Key: PartialEq> + Clone>(
    list: &[T],
    Position { key: here, side }: Position<T::Key>,
    limit: u32,
    key: impl Fn(&T) -> T::Key,
    is_below: impl Fn(&T) -> bool,
) -> Page<T> {
    let is_on_side = |record: &&T| match side {
        Side::Below => is_below(record),
        Side::Above => !is_below(record) && key(record) != here,
    };
    let on_side: Vec<_> = list.iter().filter(is_on_side).cloned().collect();
    let size = on_side.len().min(limit as usize);
    let (rest, others) = (on_side.len() > size, on_side.len() < list.len());
    let (items, above, below) = match side {
        Side::Below => (&on_side[..size], others, rest),
        Side::Above => (&on_side[on_side.len() - size..], rest, others),
    };
    let first = items.first().filter(|_| above).map(&key);
    let last = items.last().filter(|_| below).map(&key);
    Page::new(items.to_vec(), first, last)
}

/// Returns every pair of a side and one of these limits.
pub(super) fn sides<const N: usize>(limits: [u32; N]) -> impl Iterator<Item = (Side, u32)> {
    [Side::Below, Side::Above].into_iter().flat_map(move |side| limits.map(|limit| (side, limit)))
}
