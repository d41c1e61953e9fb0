//! The fields of the forms of events, shifts and questions: their names, the values of a record, and the checks.

use signup_core::{
    Change, Event, EventDate, EventPatch, Faults, Language, NewEvent, NewShift, PlanLimits, Question,
    QuestionPatch, ScheduledShift, ShiftPatch, WallTime,
};

use super::super::changing::{FieldValues, Values, changes, patch, text, ticked};
use super::super::{As, Form};
use crate::page::times;
use crate::texts::Texts;

/// The largest number of rows of shifts in a form.
pub(super) const MAX_ROWS: usize = 40;
/// The number of rows of shifts in a new form.
const NEW_ROWS: usize = 3;
/// A form with more rows has a multiple of this number.
const MORE: usize = 10;
/// The action of the button that adds rows and creates nothing.
pub(super) const MORE_ROWS: &str = "more_rows";

pub(super) const EVENT: &[(&str, As)] = &[
    ("title", As::Text),
    ("description", As::Text),
    ("instructions", As::Text),
    ("start_date", As::Text),
    ("end_date", As::Text),
    ("timezone", As::Text),
    ("location", As::Text),
    ("is_virtual", As::Flag),
    ("language", As::Text),
    ("theme", As::Text),
    ("badge_label", As::Text),
    ("signups_open_at", As::Text),
    ("signups_close_at", As::Text),
    ("waitlist_enabled", As::Flag),
    ("is_published", As::Flag),
    ("reminders_enabled", As::Flag),
];

pub(super) const SHIFT: &[(&str, As)] = &[
    ("title", As::Text),
    ("description", As::Text),
    ("day", As::Number),
    ("start_time", As::Text),
    ("end_time", As::Text),
    ("ends_next_day", As::Flag),
    ("capacity", As::Number),
    ("minimum", As::Number),
    ("location", As::Text),
];

/// The fields of the time and the place of an event.
pub(super) const TIME_AND_PLACE_OF_EVENT: &[&str] =
    &["start_date", "end_date", "timezone", "location", "is_virtual"];
/// The fields of the time and the place of a shift.
const TIME_AND_PLACE_OF_SHIFT: &[&str] = &[DAY, "start_time", "end_time", ENDS_NEXT_DAY, "location"];

pub(super) const QUESTION: &[(&str, As)] = &[
    ("label", As::Text),
    ("type", As::Text),
    ("options", As::Lines),
    ("required", As::Flag),
    ("position", As::Number),
];

const DAY: &str = "day";
const ENDS_NEXT_DAY: &str = "ends_next_day";
/// The hidden field with the first of the days to choose from.
const DAYS_BEGIN: &str = "days_begin";
/// The field of a row of shifts that a shift does not have.
const EACH_MINUTES: &str = "each_minutes";
/// The fields that a row of shifts has below its line.
const FURTHER: [&str; 3] = [ENDS_NEXT_DAY, "minimum", "description"];

/// The fields of an event that a form always shows.
const SHOWN: &[&str] =
    &["title", "description", "start_date", "end_date", "timezone", "location", "is_published"];

/// Returns the fields that a form shows only on demand, each with its value for a new event.
pub(super) fn settings() -> impl Iterator<Item = (&'static str, String)> {
    let names = EVENT.iter().map(|(name, _)| *name).filter(|name| !SHOWN.contains(name));
    names.map(|name| match name {
        "language" => (name, Language::default().to_string()),
        "reminders_enabled" => (name, ticked(true)),
        _ => (name, String::new()),
    })
}

/// Returns whether a field of [`settings`] has a fault, or another value than for a new event.
pub(in crate::console) fn has_settings(form: &Form) -> bool {
    settings().any(|(name, value)| form.value(name) != value || form.mistake(name).is_some())
}

/// Returns the fields of the shifts in the rows of a form.
fn shift_rows() -> impl Iterator<Item = (String, As)> {
    let fields = SHIFT.iter().chain(&[(EACH_MINUTES, As::Number)]);
    fields.map(|(name, kind)| (format!("shifts.*.{name}"), *kind))
}

pub(super) fn values_of_event(event: &Event) -> Values {
    vec![
        ("title", event.title.to_string()),
        ("description", text(event.description.as_ref())),
        ("instructions", text(event.instructions.as_ref())),
        ("start_date", event.dates.first.date().to_string()),
        ("end_date", text(event.dates.last.as_ref())),
        ("timezone", event.dates.first.zone().name().to_owned()),
        ("location", text(event.location.as_ref())),
        ("is_virtual", ticked(event.is_virtual)),
        ("language", event.language.to_string()),
        ("theme", text(event.theme.as_ref())),
        ("badge_label", text(event.badge_label.as_ref())),
        ("signups_open_at", text(event.signups_open_at.as_ref())),
        ("signups_close_at", text(event.signups_close_at.as_ref())),
        ("waitlist_enabled", ticked(event.waitlist_enabled)),
        ("is_published", ticked(event.is_published)),
        ("reminders_enabled", ticked(event.reminders_enabled)),
    ]
}

pub(super) fn values_of_shift(shift: &ScheduledShift) -> Values {
    vec![
        ("title", shift.title.to_string()),
        ("description", text(shift.description.as_ref())),
        ("day", shift.hours.day().to_string()),
        ("start_time", shift.hours.start().to_string()),
        ("end_time", text(shift.hours.end().as_ref())),
        ("ends_next_day", ticked(shift.hours.ends_next_day())),
        ("capacity", shift.occupancy.capacity.volunteers().to_string()),
        ("minimum", text(shift.minimum.as_ref())),
        ("location", text(shift.location.as_ref())),
    ]
}

pub(super) fn values_of_question(question: &Question) -> Values {
    let options: Vec<_> = question.options.iter().map(ToString::to_string).collect();
    vec![
        ("label", question.label.to_string()),
        ("type", question.kind.to_string()),
        ("options", options.join("\n")),
        ("required", ticked(question.required)),
        ("position", question.position.to_string()),
    ]
}

/// Checks the form of an event that exists.
pub(super) fn event_patch(form: &Form) -> Result<EventPatch, Faults> {
    let check = |form: &Form| form.checked(EVENT, EventPatch::from_input);
    patch(form, check, EventPatch::read)
}

/// Checks the form of a shift that exists. An empty start is 00:00, and an empty end is 24:00.
pub(super) fn shift_patch(form: &Form) -> Result<ShiftPatch, Faults> {
    let check = |form: &Form| {
        let is_empty = |name: &str| form.value(name).trim().is_empty();
        let mut fields = SHIFT.to_vec();
        fields.retain(|(name, _)| !name.ends_with("_time") || !is_empty(name));
        let mut patch = form.checked(&fields, ShiftPatch::from_input)?;
        patch.hours.start = patch.hours.start.or_else(|| WallTime::from_minutes(0));
        patch.hours.end = patch.hours.end.or(Some(Change::Clear));
        Ok(patch)
    };
    patch(form, check, ShiftPatch::read)
}

/// Checks the form of a question that exists.
pub(super) fn question_patch(form: &Form) -> Result<QuestionPatch, Faults> {
    let check = |form: &Form| form.checked(QUESTION, QuestionPatch::from_input);
    patch(form, check, QuestionPatch::read)
}

/// Checks the form of a new event.
pub(super) fn new_event(form: &Form, limits: PlanLimits) -> Result<NewEvent, Faults> {
    let of_event = EVENT.iter().map(|(name, kind)| ((*name).to_owned(), *kind));
    let fields: Vec<_> = of_event.chain(shift_rows()).collect();
    form.checked(&fields, |input| NewEvent::from_input(input.with_lengths(), limits))
}

/// Checks the form of shifts to add to an event of as many days.
pub(super) fn new_shifts(form: &Form, days: u32) -> Result<Vec<NewShift>, Faults> {
    let fields: Vec<_> = shift_rows().collect();
    form.checked(&fields, |input| NewShift::list_from_input(input.with_lengths(), Some(days)))
}

/// Returns the days of an event to choose from, each in words such as `Day 2, Sat 6 Jun`. None for an event of one day.
pub(super) fn days(event: &Event) -> Vec<(String, String)> {
    days_from(event.dates.first.date(), event.dates.days(), Texts::of(event.language))
}

/// Returns the days of a new event to choose from. None if the form says no days that the plan allows, or a row has another day.
pub(super) fn typed_days(form: &Form, limits: PlanLimits) -> Vec<(String, String)> {
    let date = |name: &str| form.value(name).parse::<EventDate>().ok();
    let (Some(first), Some(last)) = (date("start_date"), date("end_date")) else { return vec![] };
    let days = first.days_through(last);
    let texts = Texts::of(form.value("language").parse().unwrap_or_default());
    let days = days_from(first, if days <= limits.event_days { days } else { 0 }, texts);
    let is_one = |day: &str| day.is_empty() || days.iter().any(|(number, _)| number == day);
    let are_typed = form.rows("shifts").iter().all(|row| is_one(form.value(field_of(*row, DAY))));
    if are_typed { days } else { vec![] }
}

fn days_from(first: EventDate, days: u32, texts: Texts) -> Vec<(String, String)> {
    let day = |number: u32| {
        let date = first.plus_days(i64::from(number) - 1)?.date();
        Some((number.to_string(), format!("Day {number}, {}", times::short_day(date, texts))))
    };
    if days > 1 { (1..=days).filter_map(day).collect() } else { vec![] }
}

/// Returns both values of each field of the time and the place that the form of a shift changes. Days are shown by their dates.
pub(super) fn changes_of_shift(form: &Form, present: &Values, event: &Event) -> Vec<FieldValues> {
    // The form has no day if the event has only one.
    let is_sent = |name: &&str| *name != DAY || form.is_ticked(DAY);
    let names: Vec<_> = TIME_AND_PLACE_OF_SHIFT.iter().copied().filter(is_sent).collect();
    with_dates(changes(form, &names, present), event)
}

/// Replaces the number of a day by its date in words.
pub(super) fn with_dates(mut values: Vec<FieldValues>, event: &Event) -> Vec<FieldValues> {
    let days = days(event);
    for value in values.iter_mut().filter(|value| value.id == DAY) {
        for shown in [&mut value.now, &mut value.typed] {
            if let Some((_, date)) = days.iter().find(|(number, _)| number == shown) {
                shown.clone_from(date);
            }
        }
    }
    values
}

/// Returns whether the first day is another than the one that the days to choose from began with, while a row with text has a day.
pub(super) fn has_moved_days(form: &Form) -> bool {
    let (present, former) = (form.value("start_date"), form.value(DAYS_BEGIN));
    let is_moved = !former.is_empty() && former != present && present.parse::<EventDate>().is_ok();
    is_moved && without_empty_rows(form).fields().any(|(name, _)| name.ends_with(".day"))
}

/// Returns the form with its empty rows of shifts removed, and the other rows numbered from 0. Rows after the last allowed one are
/// removed, too.
pub(super) fn without_empty_rows(form: &Form) -> Form {
    let is_of_row = |name: &str| name.starts_with("shifts.");
    let others = form.fields().filter(|(name, _)| !is_of_row(name));
    let mut new = others.fold(Form::default(), |form, (name, value)| form.with(name, value));
    let members: Vec<_> = SHIFT.iter().map(|(name, _)| *name).chain([EACH_MINUTES]).collect();
    // A row without anything but its day is empty: a day is chosen in each row.
    let typed: Vec<_> = members.iter().copied().filter(|member| *member != DAY).collect();
    for (number, row) in form.rows_with_text("shifts", &typed).into_iter().take(MAX_ROWS).enumerate() {
        for member in &members {
            let value = form.value(field_of(row, member));
            // An unticked box and a day that is left open are not sent.
            if !value.trim().is_empty() || ![DAY, ENDS_NEXT_DAY].contains(member) {
                new = new.with(&field_of(number, member), value);
            }
        }
    }
    new
}

/// Returns the name of a field of a row of shifts. Rows are counted from 0.
fn field_of(row: usize, member: &str) -> String {
    format!("shifts.{row}.{member}")
}

/// A row of shifts.
#[derive(Debug)]
pub(super) struct Row {
    /// The number of the row, from 1.
    pub(super) number: usize,
    /// The attribute of the first field that gives it the focus, so that a browser scrolls to the row; empty in most rows.
    pub(super) focus: &'static str,
    /// The fields that have a fault.
    pub(super) mistaken: Vec<&'static str>,
    /// Whether the fields below the line are shown, because one of them has a value or a fault, or could mend that of the line.
    pub(super) is_open: bool,
}

impl Row {
    /// Returns the name of a field of the row.
    pub(super) fn name(&self, member: &str) -> String {
        field_of(self.number - 1, member)
    }
}

/// Returns the rows of a form: those that it has, and more if the person asks for more. The first one of these has the focus.
pub(super) fn rows(form: &Form) -> Vec<Row> {
    let present = form.rows("shifts").last().map_or(0, |row| row + 1).max(NEW_ROWS);
    let rows = if form.action() == MORE_ROWS { (present + 1).next_multiple_of(MORE) } else { present };
    let row = |row| {
        let members = SHIFT.iter().map(|(name, _)| *name).chain([EACH_MINUTES]);
        let mistaken = members.filter(|member| form.mistake(field_of(row, member)).is_some());
        let mistaken: Vec<_> = mistaken.collect();
        let has_value = |member: &&str| !form.value(field_of(row, member)).trim().is_empty();
        // The fault of an end may be that it is on the next day.
        let is_mended_below = |member: &&str| FURTHER.contains(member) || *member == "end_time";
        Row {
            number: row + 1,
            focus: if row == present { "autofocus" } else { "" },
            is_open: FURTHER.iter().any(has_value) || mistaken.iter().any(is_mended_below),
            mistaken,
        }
    };
    (0..rows.min(MAX_ROWS)).map(row).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::super::changing::loaded;
    use super::*;
    use crate::sample_event::sample_event;

    #[tokio::test]
    async fn a_changed_day_is_shown_by_its_dates_and_the_only_day_is_no_change() {
        let (_, mut found) = sample_event().await;
        let present = values_of_shift(&found.shifts[0]);
        let mut form = loaded(SHIFT, present.clone());
        // The page has no choice of a day.
        form.remove(DAY);
        assert!(changes_of_shift(&form, &present, &found.event).is_empty());
        found.event.dates.last = Some("2099-06-07".parse().unwrap());
        let changes = changes_of_shift(&form.with(DAY, "2"), &present, &found.event);
        let shown: Vec<_> = changes.iter().map(|change| [&change.id, &change.now, &change.typed]).collect();
        assert_eq!(shown, [["day", "Day 1, Sat 6 Jun", "Day 2, Sun 7 Jun"]]);
    }

    #[test]
    fn empty_rows_are_left_out_and_the_others_keep_their_order() {
        let form = Form::parse(b"title=A&shifts.0.title=+&shifts.2.title=C&shifts.1.capacity=2&shifts.7.title=&shifts.0.end_time=");
        let rows = without_empty_rows(&form);
        assert_eq!(rows.rows("shifts"), [0, 1]);
        assert_eq!((rows.value("shifts.0.capacity"), rows.value("shifts.1.title")), ("2", "C"));
        assert_eq!(rows.value("title"), "A");
    }

    #[test]
    fn a_row_with_only_a_day_is_empty_and_a_day_that_is_left_open_is_the_first() {
        let form = Form::parse(
            b"shifts.0.day=2&shifts.0.title=&shifts.1.day=2&shifts.1.title=B&shifts.1.capacity=1&shifts.2.day=&shifts.2.title=C\
              &shifts.2.capacity=1&shifts.2.start_time=22:00&shifts.2.end_time=06:00&shifts.2.ends_next_day=yes",
        );
        let shifts = new_shifts(&without_empty_rows(&form), 2).unwrap();
        let shown: Vec<_> = shifts.iter().map(|shift| format!("{} {}", shift.title, shift.hours)).collect();
        assert_eq!(shown, ["B day 2, 00:00–24:00", "C 22:00–06:00 (next day)"]);
    }

    #[test]
    fn the_first_of_the_rows_that_were_asked_for_has_the_focus() {
        let focused = |body: &str| {
            let rows = rows(&Form::parse(body.as_bytes()));
            let numbers = rows.iter().filter(|row| !row.focus.is_empty()).map(|row| row.number);
            (rows.len(), numbers.collect::<Vec<_>>())
        };
        assert_eq!(focused("shifts.0.title=A"), (3, vec![]));
        assert_eq!(focused("action=more_rows&shifts.2.title="), (10, vec![4]));
        assert_eq!(focused("action=more_rows&shifts.9.title="), (20, vec![11]));
        assert_eq!(focused("action=more_rows&shifts.38.title="), (40, vec![40]));
        assert_eq!(focused("action=more_rows&shifts.39.title="), (40, vec![]), "no row is new");
    }

    #[test]
    fn a_row_shows_the_fields_below_its_line_only_if_one_has_a_value_or_a_fault() {
        let form =
            Form::parse(b"shifts.0.title=A&shifts.0.minimum=&shifts.1.ends_next_day=yes&shifts.2.minimum=x");
        let open =
            rows(&form.mistaken("shifts.0.description", "It is long")).into_iter().map(|row| row.is_open);
        assert_eq!(open.collect::<Vec<_>>(), [true, true, true]);
        let early = Form::default().mistaken("shifts.1.end_time", "It is before the start");
        let open = rows(&early).into_iter().map(|row| row.is_open);
        assert_eq!(open.collect::<Vec<_>>(), [false, true, false], "the end may be on the next day");
        let closed = rows(&Form::parse(b"shifts.0.title=A&shifts.0.minimum=&shifts.0.each_minutes=60"))
            .into_iter()
            .map(|row| row.is_open);
        assert_eq!(closed.collect::<Vec<_>>(), [false, false, false]);
    }

    #[test]
    fn the_days_of_a_new_event_are_offered_once_the_form_says_them() {
        let days = |body: &str| {
            let days = typed_days(&Form::parse(body.as_bytes()), PlanLimits::unlimited().event_days(3));
            days.into_iter().map(|(_, words)| words).collect::<Vec<_>>()
        };
        let three = "start_date=2026-11-27&end_date=2026-11-29";
        assert_eq!(days(three), ["Day 1, Fri 27 Nov", "Day 2, Sat 28 Nov", "Day 3, Sun 29 Nov"]);
        assert_eq!(days(&format!("{three}&shifts.0.day=3&shifts.1.day=")).len(), 3);
        for none in [
            "start_date=2026-11-27&end_date=",
            "start_date=2026-11-27&end_date=2026-11-27",
            "start_date=2026-11-27&end_date=2026-11-26",
            "start_date=2026-11-27&end_date=2026-11-30",
            &format!("{three}&shifts.0.day=4"),
        ] {
            assert_eq!(days(none), [""; 0], "{none}");
        }
    }

    #[test]
    fn a_chosen_day_is_moved_if_the_first_day_changes() {
        let is_moved = |body: &str| has_moved_days(&Form::parse(body.as_bytes()));
        let other = "days_begin=2026-11-27&start_date=2026-11-28";
        assert!(is_moved(&format!("{other}&shifts.0.title=A&shifts.0.day=1")));
        for not_moved in [
            "days_begin=2026-11-27&start_date=2026-11-27&shifts.0.title=A&shifts.0.day=1",
            "start_date=2026-11-28&shifts.0.title=A&shifts.0.day=1",
            "days_begin=2026-11-27&start_date=&shifts.0.title=A&shifts.0.day=1",
            &format!("{other}&shifts.0.title=&shifts.0.day=2"),
            &format!("{other}&shifts.0.title=A&shifts.0.day="),
        ] {
            assert!(!is_moved(not_moved), "{not_moved}");
        }
    }

    #[test]
    fn the_settings_are_those_that_the_form_unfolds() {
        #[derive(Debug, askama::Template)]
        #[template(
            ext = "html",
            source = r#"{% import "console/event_field.html" as fields %}{% call fields::event(form, regions, themes, false) %}{% endcall %}"#
        )]
        struct Fields {
            form: Form,
            regions: Vec<super::super::zones::Region>,
            themes: Vec<(String, String)>,
        }
        let fields = Fields { form: Form::default(), regions: vec![], themes: vec![] };
        let html = askama::Template::render(&fields).unwrap();
        let (_, unfolded) = html.split_once("<details class=\"settings\"").unwrap();
        let (unfolded, _) = unfolded.split_once("</details>").unwrap();
        let names = unfolded.split(" name=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
        assert_eq!(names.collect::<BTreeSet<_>>(), settings().map(|(name, _)| name).collect());
    }

    #[test]
    fn further_settings_are_shown_if_one_differs_from_that_of_a_new_event_or_has_a_fault() {
        let new = || Form::parse(b"title=A&language=en&theme=&reminders_enabled=yes");
        assert!(!has_settings(&new()));
        assert!(has_settings(&new().mistaken("signups_close_at", "It is before the opening")));
        assert!(has_settings(&new().with("waitlist_enabled", "yes")));
        assert!(has_settings(&Form::parse(b"title=A&language=en")), "no reminders");
    }

    #[test]
    fn a_shift_without_an_end_lasts_until_midnight() {
        let form = Form::parse(b"title=A&start_time=&end_time=&capacity=2&location=");
        let patch = shift_patch(&form).unwrap();
        assert_eq!(patch.hours.end, Some(Change::Clear));
        assert_eq!(patch.hours.start.map(WallTime::minutes), Some(0));
    }
}
