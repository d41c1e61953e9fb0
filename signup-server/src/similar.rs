//! Names that are close to each other, for the question "Did you mean …?".

/// The name that many APIs have for the length of a page.
const LIMIT: &str = "limit";
const PER_PAGE: &str = "per_page";
/// The largest number of letters that a misspelled name has too many, too few, or wrong.
const MAX_EDITS: usize = 2;

/// Returns the name in `known` that `name` probably means: the closest one that is at most two edits away, or `per_page` for
/// `limit`. An edit adds, removes or replaces a letter, and at least one letter stays.
pub(crate) fn closest(known: &[&'static str], name: &str) -> Option<&'static str> {
    if name == LIMIT {
        return known.iter().copied().find(|known| *known == PER_PAGE);
    }
    (1..=MAX_EDITS).find_map(|edits| {
        let is_close =
            |known: &&str| edits < known.len() && is_within(edits, known.as_bytes(), name.as_bytes());
        known.iter().copied().find(is_close)
    })
}

/// Returns whether at most `edits` edits make one text of the other.
fn is_within(edits: usize, a: &[u8], b: &[u8]) -> bool {
    let common = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    match (&a[common..], &b[common..]) {
        ([], rest) | (rest, []) => rest.len() <= edits,
        (a @ [_, after_a @ ..], b @ [_, after_b @ ..]) => {
            edits > 0
                && [(after_a, after_b), (after_a, b), (a, after_b)]
                    .into_iter()
                    .any(|(a, b)| is_within(edits - 1, a, b))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_close_to_a_known_one_with_at_most_two_other_letters() {
        let known = ["is_published", "is_cancelled", "from", "to", "order", "per_page", "cursor"];
        for (name, expected) in [
            ("perpage", Some("per_page")),
            ("perPage", Some("per_page")),
            ("per_pages", Some("per_page")),
            ("per-page", Some("per_page")),
            ("limit", Some("per_page")),
            ("form", Some("from")),
            ("two", Some("to")),
            ("Order", Some("order")),
            ("published", None),
            ("isPublished", Some("is_published")),
            ("page", None),
            ("since", None),
            ("updated_since", None),
            ("q", None),
            ("", None),
        ] {
            assert_eq!(closest(&known, name), expected, "{name}");
        }
        assert_eq!(closest(&["type", "event_id"], "limit"), None, "a list without pages");
        assert_eq!(closest(&["cursor", "course"], "courser"), Some("course"), "the closest one");
    }
}
