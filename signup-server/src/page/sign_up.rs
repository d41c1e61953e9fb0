//! The page with the form: the chosen shifts, and the people who sign up for them.

use std::borrow::Cow;

use askama::Template;
use jiff::Timestamp;
use signup_core::{
    AnswerText, EmailAddress, Fault, FaultKind, Faults, NewSignup, PersonName, PublicEvent, QuestionKind,
    ScheduledShift, ShiftId, TextError, TimeAndPlace, WebAddress,
};
use warp::http::header::CACHE_CONTROL;
use warp::http::{HeaderValue, StatusCode};
use warp::reply::Response;

use super::event::{RESULT, Site, form_action, places, takes};
use super::times::Times;
use super::typed::{ADD, CHANGE, EMAIL, NAME, OVERLAP, SHIFT, TO_SHIFTS, Typed, WAITLIST, prefix};
use super::{Head, html, invisible, unusable_characters};
use crate::linked_text::LinkedText;
use crate::texts::{Html, Texts};
use crate::wire::field_name;

#[derive(Debug, Template)]
#[template(path = "sign_up.html")]
struct SignUpTemplate<'a> {
    head: Head,
    event: &'a str,
    event_path: &'a str,
    action: String,
    /// The action of the button that adds a person. Its fragment is the field in which the name of the new person is typed.
    add_action: Option<String>,
    shifts: Vec<ChosenShift<'a>>,
    /// The number of these shifts that the form is for.
    offered: usize,
    /// The number of chosen shifts that the event no longer has.
    missing: usize,
    /// The ids of the fields with a fault, each with what to do.
    mistakes: Vec<(String, String)>,
    overlap: Option<Overlap>,
    people: Vec<PersonView<'a>>,
    /// What the organization does with the values.
    use_of_details: Html,
    privacy_url: Option<&'a str>,
    /// Whether people who find no place join the waiting list.
    joins_waitlist: bool,
    /// Whether the volunteer gets a mail.
    sends_mail: bool,
}

#[derive(Debug)]
struct ChosenShift<'a> {
    id: ShiftId,
    title: &'a str,
    times: Times,
    locations: Vec<Vec<LinkedText<'a>>>,
    places: String,
    /// Whether the form leaves the shift out, because nobody can sign up for it.
    is_left_out: bool,
}

/// The box that accepts that shifts overlap.
#[derive(Debug)]
struct Overlap {
    is_ticked: bool,
    /// Whether the form was refused because the box was not ticked.
    is_mistake: bool,
    /// The pairs of shifts that overlap, in words.
    pairs: Vec<String>,
}

#[derive(Debug)]
struct PersonView<'a> {
    /// The number of the person; `None` for the first person.
    number: Option<usize>,
    fields: Vec<FieldView<'a>>,
}

#[derive(Debug)]
struct FieldView<'a> {
    id: String,
    name: String,
    label: Cow<'a, str>,
    is_required: bool,
    /// Whether a browser refuses a form without a value. A row for a further person may stay empty.
    is_enforced: bool,
    /// What is wrong with the typed value, and what to do.
    mistake: Option<String>,
    kind: FieldKind<'a>,
}

#[derive(Debug)]
enum FieldKind<'a> {
    Line { input_type: &'static str, value: &'a str, autocomplete: &'static str, max_length: usize },
    Choice { options: Vec<Choice<'a>> },
    Tick { is_ticked: bool },
}

#[derive(Debug)]
struct Choice<'a> {
    text: &'a str,
    is_chosen: bool,
}

/// Renders the form for the chosen shifts that the event has, with what was typed and its faults.
pub(super) fn page(
    status: StatusCode,
    found: &PublicEvent,
    site: Site<'_>,
    typed: &Typed,
    faults: &Faults,
    now: Timestamp,
) -> Response {
    let PublicEvent { organization, event, shifts, .. } = found;
    let (ids, texts) = (typed.shifts(), Texts::of(event.language));
    let chosen: Vec<_> = shifts.iter().filter(|shift| ids.contains(&shift.id)).collect();
    let (is_new, joins_waitlist) = (typed.is_new(), typed.joins_waitlist());
    let rows = (typed.rows() + usize::from(typed.adds_person())).min(NewSignup::MAX_PEOPLE);
    let people: Vec<_> = (0..rows).map(|row| person(row, found, typed, faults)).collect();
    // If the shifts were chosen now and not in the form, the form leaves out those that take nobody.
    let is_choice = is_new || typed.goes_to_form();
    let is_offered = |shift: &ScheduledShift| !is_choice || takes(event, shift, joins_waitlist, now);
    let offered: Vec<_> = chosen.iter().copied().filter(|shift| is_offered(shift)).collect();
    let overlap = overlap(&offered, typed, faults, texts);
    let mut mistakes: Vec<_> =
        faults.iter().filter_map(|fault| of_shifts(fault, typed.people(), &chosen, texts)).collect();
    let missing_tick = overlap.iter().filter(|overlap| overlap.is_mistake);
    mistakes.extend(missing_tick.map(|_| (OVERLAP.to_owned(), texts.overlap_problem())));
    let fields = people.iter().flat_map(|person| &person.fields);
    mistakes.extend(fields.filter_map(|field| Some((field.id.clone(), field.mistake.clone()?))));
    let title = match joins_waitlist {
        true => texts.join_waiting_list_title(event.title.as_str()),
        false => texts.sign_up_title(event.title.as_str()),
    };
    let title = if mistakes.is_empty() { title } else { texts.title_with_problem(title) };
    let views = chosen.iter().map(|shift| {
        let at = TimeAndPlace::of(shift, event);
        ChosenShift {
            id: shift.id,
            title: shift.title.as_str(),
            times: Times::of(at.interval, &at.zone, texts),
            locations: shift.location.iter().map(|place| LinkedText::parts(place.as_str())).collect(),
            places: if shift.is_over(now) { texts.shift_over() } else { places(shift, now, texts) },
            is_left_out: !is_offered(shift),
        }
    });
    let action = form_action(site.path);
    let page = SignUpTemplate {
        head: Head::of_event(title, event),
        event: event.title.as_str(),
        event_path: site.path,
        add_action: (rows < NewSignup::MAX_PEOPLE)
            .then(|| format!("{}/signups#{}", site.path, field_id(&format!("{}{NAME}", prefix(rows))))),
        action,
        offered: offered.len(),
        missing: ids.len() - chosen.len(),
        shifts: views.collect(),
        mistakes,
        overlap,
        people,
        use_of_details: texts.use_of_details_html(Html::typed(organization.name.as_str())),
        privacy_url: organization.privacy_url.as_ref().map(WebAddress::as_str),
        joins_waitlist,
        sends_mail: site.sends_mail,
    };
    let mut response = html(status, &page);
    // A browser that goes back restores typed values only for a page that it may store. A page that has them itself is
    // about a person, and no cache stores it.
    if is_new {
        response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    }
    response
}

/// Returns the sentence about a fault of the shifts as a whole.
fn of_shifts(
    fault: &Fault,
    people: usize,
    chosen: &[&ScheduledShift],
    texts: Texts,
) -> Option<(String, String)> {
    let FaultKind::TooMany { max, .. } = fault.kind else { return None };
    let text = texts.too_many_places(people, chosen.len(), max);
    (fault.path == "shifts").then(|| ("shifts".to_owned(), text))
}

/// Returns the box that accepts overlaps, if shifts overlap.
fn overlap(chosen: &[&ScheduledShift], typed: &Typed, faults: &Faults, texts: Texts) -> Option<Overlap> {
    let in_words = |shift: &ScheduledShift| {
        let times = Times::of(shift.interval(), shift.first_day.zone(), texts);
        format!("{}, {}", shift.title, times.start_in_words(true))
    };
    let mut pairs = vec![];
    for (number, one) in chosen.iter().enumerate() {
        let overlaps = |other: &&&ScheduledShift| one.interval().overlaps(other.interval());
        let others = chosen[number + 1..].iter().filter(overlaps);
        pairs.extend(others.map(|other| texts.joined(vec![in_words(one), in_words(other)])));
    }
    let is_ticked = !typed.value(OVERLAP).is_empty();
    let is_mistake = faults.iter().any(|fault| matches!(fault.kind, FaultKind::Overlap { .. }));
    (!pairs.is_empty()).then_some(Overlap { is_ticked, is_mistake, pairs })
}

/// Returns the fields of the person in a row, with the typed values and their faults.
fn person<'a>(row: usize, found: &'a PublicEvent, typed: &'a Typed, faults: &Faults) -> PersonView<'a> {
    let (prefix, is_first, texts) = (prefix(row), row == 0, Texts::of(found.event.language));
    let field = |name: String, label: Cow<'a, str>, is_required: bool, kind: FieldKind<'a>| {
        let fault = faults.iter().find(|fault| field_name(&fault.path) == name);
        FieldView {
            id: field_id(&name),
            is_required,
            is_enforced: is_required && is_first,
            mistake: fault
                .map(|fault| mistake(row, (name.as_str(), &*label), is_required, &kind, fault, texts)),
            kind,
            name,
            label,
        }
    };
    let line = |input_type, name: &str, autocomplete, max_length| FieldKind::Line {
        input_type,
        value: typed.value(name),
        autocomplete,
        max_length,
    };
    let name = format!("{prefix}{NAME}");
    let (label, autocomplete) = if is_first { (texts.your_name(), "name") } else { (texts.name(), "off") };
    let kind = line("text", &name, autocomplete, PersonName::MAX);
    let mut fields = vec![field(name, label.into(), true, kind)];
    if is_first {
        let kind = line("email", EMAIL, "email", EmailAddress::MAX);
        fields.push(field(EMAIL.to_owned(), texts.email_address().into(), true, kind));
    }
    fields.extend(found.questions.iter().map(|question| {
        let name = format!("{prefix}answer.{}", question.id);
        let kind = match question.kind {
            QuestionKind::Select => {
                let chosen = typed.value(&name);
                let choice = |text: &'a str| Choice { text, is_chosen: text == chosen };
                let options = question.options.iter().map(|option| choice(option.as_str())).collect();
                FieldKind::Choice { options }
            }
            QuestionKind::Checkbox => FieldKind::Tick { is_ticked: !typed.value(&name).is_empty() },
            // A text, or a kind that is newer than this page.
            _ => line("text", &name, "", AnswerText::MAX),
        };
        field(name, question.label.as_str().into(), question.required, kind)
    }));
    PersonView { number: (!is_first).then_some(row + 1), fields }
}

fn field_id(name: &str) -> String {
    name.replace('.', "-")
}

/// Returns the sentence about a fault of the person in a row, which says what to do.
fn mistake(
    row: usize,
    (name, label): (&str, &str),
    is_required: bool,
    kind: &FieldKind<'_>,
    fault: &Fault,
    texts: Texts,
) -> String {
    let (is_name, number) = (name.ends_with(NAME), row + 1);
    let field = match name {
        EMAIL => texts.field_email(),
        _ if is_name && row == 0 => texts.field_name(),
        _ if is_name => texts.field_name_of_person(number),
        _ if row == 0 => texts.field_answer(label),
        _ => texts.field_answer_of_person(label, number),
    };
    match (&fault.kind, kind) {
        (FaultKind::Text(TextError::TooLong { max }), _) => texts.too_long(field, max),
        (FaultKind::Text(error @ (TextError::Control { .. } | TextError::LineBreak)), _) => {
            unusable_characters(&field, error, texts)
        }
        (FaultKind::Text(TextError::Invisible), _) => invisible(&field, !is_required, texts),
        (FaultKind::Text(TextError::EmailUser), _) => texts.unusable_email(),
        (FaultKind::Repeated, _) if is_name => texts.person_repeated(number),
        _ if is_name && row == 0 => texts.enter_name(),
        _ if is_name => texts.enter_name_of_person(number),
        (_, FieldKind::Line { value, .. }) if name == EMAIL && value.trim().is_empty() => texts.enter_email(),
        _ if name == EMAIL => texts.malformed_email(),
        (_, FieldKind::Line { .. }) => texts.enter_answer(field),
        (_, FieldKind::Choice { .. }) => texts.choose_answer(field),
        (_, FieldKind::Tick { .. }) => texts.tick_answer(field),
    }
}

#[cfg(test)]
mod tests;
