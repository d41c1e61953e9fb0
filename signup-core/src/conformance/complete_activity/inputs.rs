//! Random input of the handles. Each field has a few values, so many patches change no value.

use super::super::random::Numbers;
use crate::*;

/// Returns one of the values.
pub(super) fn one<T: Clone>(of: &[T], numbers: &mut Numbers<'_>) -> T {
    numbers.pick(of).unwrap().clone()
}

/// Returns one of the texts as a value.
fn text<T: std::str::FromStr<Err: std::fmt::Debug>>(of: &[&str], numbers: &mut Numbers<'_>) -> T {
    one(of, numbers).parse().unwrap()
}

/// Returns no change of a field, or one of its texts, or none.
fn change<T: std::str::FromStr<Err: std::fmt::Debug>>(
    of: &[&str],
    numbers: &mut Numbers<'_>,
) -> Option<Change<T>> {
    match numbers.below(4) {
        0 => None,
        1 => Some(Change::Clear),
        _ => Some(Change::Set(text(of, numbers))),
    }
}

const TITLES: [&str; 2] = ["Food drive", "Winter drive"];
const PLACES: [&str; 2] = ["Dock 4", "Hall"];
const ZONES: [&str; 2] = ["UTC", "America/New_York"];
/// The first two are the same value.
const DATA: [&str; 3] = [r#"{"floor": 3, "hall": "B"}"#, r#"{"hall": "B", "floor": 3.0}"#, r#"{"floor": 4}"#];

pub(super) fn name(numbers: &mut Numbers<'_>) -> Name {
    text(&["nightly import", "Hillside"], numbers)
}

/// Returns the address of one of three volunteers, in one of two spellings.
pub(super) fn email(numbers: &mut Numbers<'_>) -> EmailAddress {
    text(&["ada@example.org", "Ada@example.org", "bo@example.org", "cy@example.org"], numbers)
}

/// Returns a day from tomorrow on, or yesterday.
pub(super) fn day(numbers: &mut Numbers<'_>, now: Timestamp) -> Date {
    let today = now.to_zoned_datetime(jiff::tz::TimeZone::UTC).date();
    let days = one(&[1, 2, 3, 0, -1], numbers);
    today.checked_add(SignedDuration::from_hours(24 * days)).unwrap()
}

fn capacity(numbers: &mut Numbers<'_>) -> Capacity {
    Capacity::new(numbers.below(4).into()).unwrap()
}

fn hours(numbers: &mut Numbers<'_>) -> Hours {
    let hours = [(1, 0, 1440, false), (1, 540, 720, false), (1, 1200, 360, true), (2, 540, 1440, false)];
    one(&hours, numbers).try_into().unwrap()
}

pub(super) fn new_event(numbers: &mut Numbers<'_>, now: Timestamp) -> NewEvent {
    let start = day(numbers, now);
    let mut new = NewEvent::new(text(&TITLES, numbers), start, text(&ZONES, numbers));
    new.is_published = numbers.below(2) == 0;
    // The longest event has 3 days.
    new.end_date = match numbers.below(6) {
        number @ 3.. => start.checked_add(SignedDuration::from_hours(24 * i64::from(number - 2))).ok(),
        _ => None,
    };
    new.location_data = change(&DATA, numbers).and_then(Change::into_value);
    new.description = change(&["Bring gloves"], numbers).and_then(Change::into_value);
    let count = [1, 2, 0][usize::from(numbers.below(3))];
    // Refused where a shift is on the second day of an event of one day.
    new.shifts = (0..count).map(|_| new_shift(numbers)).collect();
    new
}

pub(super) fn event_patch(numbers: &mut Numbers<'_>, now: Timestamp) -> EventPatch {
    let mut patch = EventPatch::new();
    patch.is_published = [None, None, Some(true), Some(false)][usize::from(numbers.below(4))];
    // A few fields each time: the operation has fewer numbers than an event has fields.
    for _ in 0..=numbers.below(4) {
        match numbers.below(13) {
            0 => patch.title = Some(text(&TITLES, numbers)),
            1 => patch.description = change(&["Bring gloves", "Bring a coat"], numbers),
            2 => patch.location = change(&PLACES, numbers),
            3 => patch.is_virtual = Some(numbers.below(2) == 1),
            4 => patch.latitude = change(&["0", "52.5"], numbers),
            5 => patch.longitude = change(&["0", "-1.25"], numbers),
            6 => patch.location_data = change(&DATA, numbers),
            7 => patch.start_date = Some(day(numbers, now)),
            8 => patch.end_date = Some(Some(day(numbers, now)).filter(|_| numbers.below(3) > 0).into()),
            9 => patch.zone = Some(text(&ZONES, numbers)),
            10 => patch.theme = change(&["midnight", "rose-pink"], numbers),
            11 => patch.external_id = change(&["a", "b"], numbers),
            _ => patch.badge_label = change(&["Families"], numbers),
        }
    }
    patch
}

pub(super) fn new_shift(numbers: &mut Numbers<'_>) -> NewShift {
    let new = NewShift::new(text(&["Packing", "Loading"], numbers), capacity(numbers)).hours(hours(numbers));
    NewShift { location: change(&PLACES, numbers).and_then(Change::into_value), ..new }
}

pub(super) fn shift_patch(numbers: &mut Numbers<'_>) -> ShiftPatch {
    let mut patch = ShiftPatch::new();
    patch.title = Some(text(&["Packing", "Loading"], numbers)).filter(|_| numbers.below(2) == 1);
    patch.description = change(&["Bring gloves", "Bring a coat"], numbers);
    patch.location = change(&PLACES, numbers);
    patch.minimum = change(&["1", "2"], numbers);
    patch.capacity = Some(capacity(numbers)).filter(|_| numbers.below(2) == 1);
    patch.external_id = change(&["a", "b"], numbers);
    match numbers.below(4) {
        1 => patch.hours(hours(numbers)),
        2 => patch.start_time(WallTime::from_minutes(540).unwrap()),
        // Refused where the shift starts later.
        3 => patch.end_time(WallTime::from_minutes(720).unwrap()),
        _ => patch,
    }
}

fn kind(numbers: &mut Numbers<'_>) -> QuestionKind {
    one(&[QuestionKind::Text, QuestionKind::Select, QuestionKind::Checkbox], numbers)
}

/// Returns the options of a question of the kind, or wrong ones.
fn options(kind: Option<QuestionKind>, numbers: &mut Numbers<'_>) -> Vec<Label> {
    let is_right = numbers.below(8) != 7;
    if (kind == Some(QuestionKind::Select)) == is_right {
        one(&[vec!["S", "M"], vec!["M", "L"]], numbers).iter().map(|option| option.parse().unwrap()).collect()
    } else {
        vec![]
    }
}

pub(super) fn new_question(numbers: &mut Numbers<'_>) -> NewQuestion {
    let mut new = NewQuestion::new(text(&["Size", "Allergies"], numbers), kind(numbers));
    new.options = options(Some(new.kind), numbers);
    new.required = numbers.below(2) == 1;
    new.position = Some(numbers.below(3).into()).filter(|_| numbers.below(2) == 1);
    new
}

pub(super) fn question_patch(numbers: &mut Numbers<'_>) -> QuestionPatch {
    let mut patch = QuestionPatch::new();
    patch.label = Some(text(&["Size", "Allergies"], numbers)).filter(|_| numbers.below(2) == 1);
    patch.kind = Some(kind(numbers)).filter(|_| numbers.below(2) == 1);
    patch.options =
        Some(options(patch.kind, numbers)).filter(|_| numbers.below(3) > 0 || patch.kind.is_some());
    patch.required = Some(numbers.below(2) == 1).filter(|_| numbers.below(2) == 1);
    patch.position = Some(numbers.below(3).into()).filter(|_| numbers.below(2) == 1);
    patch
}

pub(super) fn organization_patch(name: Name, numbers: &mut Numbers<'_>) -> OrganizationPatch {
    OrganizationPatch {
        name: Some(name).filter(|_| numbers.below(2) == 1),
        sport: change(&["rowing", "running"], numbers),
        public_url: change(&["https://riverside.example.org", "https://hillside.example.org"], numbers),
        // Two spellings of one address are two texts.
        contact: change(&["help@example.org", "Help@example.org"], numbers),
        privacy_url: change(&["https://riverside.example.org/privacy"], numbers),
        read: None,
    }
}

fn types(numbers: &mut Numbers<'_>) -> Vec<TypeFilter> {
    let types =
        one(&[vec!["*"], vec!["event.*"], vec!["webhook.*"], vec!["signup.created", "slot.*"]], numbers);
    types.iter().map(|filter| filter.parse().unwrap()).collect()
}

/// Returns an address, or one that the operator does not allow.
fn webhook_url(numbers: &mut Numbers<'_>) -> WebhookUrl {
    text(&["https://example.org/hooks", "https://example.org/?key=a", "https://10.0.0.1/"], numbers)
}

pub(super) fn new_webhook(numbers: &mut Numbers<'_>) -> NewWebhook {
    let mut new = NewWebhook::new(webhook_url(numbers)).types(types(numbers));
    new.description = change(&["Calendar"], numbers).and_then(Change::into_value);
    new.is_enabled = numbers.below(8) < 7;
    new
}

pub(super) fn webhook_patch(numbers: &mut Numbers<'_>) -> WebhookPatch {
    let mut patch = WebhookPatch::new();
    patch.is_enabled = [Some(true), Some(false), None][usize::from(numbers.below(3))];
    patch.url = Some(webhook_url(numbers)).filter(|_| numbers.below(3) == 1);
    patch.types = Some(types(numbers)).filter(|_| numbers.below(2) == 1);
    patch.description = change(&["Calendar", "Newsletter"], numbers);
    patch
}
