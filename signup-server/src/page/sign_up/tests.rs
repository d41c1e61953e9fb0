//! Tests of the form: its fields, and what it says about faults.

use std::collections::HashSet;
use std::mem::discriminant;

use http_body_util::BodyExt as _;
use signup_core::{NewQuestion, QuestionKind, SignUpInput, VolunteerInput};

use super::*;
use crate::sample_event::sample_event;

const SITE: Site<'_> = Site { path: "/events/drive", url: "", sends_mail: true };

fn mistakes(person: &PersonView<'_>) -> Vec<String> {
    person.fields.iter().filter_map(|field| field.mistake.clone()).collect()
}

/// `QuestionKind` is non-exhaustive. A kind without a field of its own is shown as a line of text, like `Text`.
#[tokio::test]
async fn each_kind_of_question_has_its_own_kind_of_field() {
    let (service, created) = sample_event().await;
    for &kind in QuestionKind::ALL {
        let question = NewQuestion::new("Which?".parse().unwrap(), kind);
        let with_option = question.clone().option("One".parse().unwrap());
        let question = if kind == QuestionKind::Select { with_option } else { question };
        service.admin().add_question(created.event.id, question).await.unwrap();
    }
    let found = service.volunteers().event(&created.event.slug).await.unwrap();
    let typed = Typed::default();
    let person = person(0, &found, &typed, &Faults::new());
    let fields = person.fields.iter().filter(|field| field.name.starts_with("answer."));
    let kinds: HashSet<_> = fields.map(|field| discriminant(&field.kind)).collect();
    assert_eq!(kinds.len(), QuestionKind::ALL.len());
}

#[tokio::test]
async fn each_problem_of_a_form_says_what_to_do() {
    let (service, created) = sample_event().await;
    for &kind in QuestionKind::ALL {
        let question = NewQuestion::new("Which?".parse().unwrap(), kind).required();
        let with_option = question.clone().option("One".parse().unwrap());
        let question = if kind == QuestionKind::Select { with_option } else { question };
        service.admin().add_question(created.event.id, question).await.unwrap();
    }
    let found = service.volunteers().event(&created.event.slug).await.unwrap();
    let [text, select, checkbox] = found.questions.as_slice() else { panic!("one question of each kind") };
    let long = "x".repeat(2049);
    for (name, email, answer, choice, problems) in [
        (
            " ",
            "",
            "",
            "",
            vec![
                "Enter your name",
                "Enter your email address",
                "Enter an answer for “Which?”",
                "Choose an option for “Which?”",
                "Tick “Which?” to sign up",
            ],
        ),
        (
            &long,
            &long,
            &long,
            "Two",
            vec![
                "Your name must be 255 characters or fewer",
                "Your email address must be 254 characters or fewer",
                "“Which?” must be 2048 characters or fewer",
                "Choose an option for “Which?”",
                "Tick “Which?” to sign up",
            ],
        ),
        (
            "\u{3164}",
            "ada@nowhere",
            "\u{200b}",
            "One",
            vec![
                "Your name has no visible characters. Type it again",
                "Enter an email address like name@example.com",
                "“Which?” has no visible characters. Type it again",
                "Tick “Which?” to sign up",
            ],
        ),
        (
            "Ada\u{7}",
            "ada@nowhere",
            "\0",
            "One",
            vec![
                "Your name has characters that we can’t use. Please type it again",
                "Enter an email address like name@example.com",
                "“Which?” has characters that we can’t use. Please type it again",
                "Tick “Which?” to sign up",
            ],
        ),
        (
            "Zoë",
            "zoë@example.org",
            "Yes",
            "One",
            vec![
                "Enter an email address with only the letters a to z, digits and symbols such as . + - _ before the @",
                "Tick “Which?” to sign up",
            ],
        ),
    ] {
        let answers = [(text.id, answer), (select.id, choice), (checkbox.id, "no")];
        let answers = answers.map(|(id, answer)| (id.to_string().into(), answer.into()));
        let mut input = SignUpInput::new(name, email);
        input.people[0].answers = answers.into();
        let faults = input.check(&found.questions, &[]).unwrap_err();
        let typed = form_urlencoded::Serializer::new(String::new()).append_pair("email", email).finish();
        let typed = Typed::parse(typed.as_bytes());
        assert_eq!(mistakes(&person(0, &found, &typed, &faults)), problems);
    }
}

/// Returns the caching and the HTML of the form for the first shift of the event.
async fn form_html(found: &PublicEvent, fields: &[(&str, &str)], faults: &Faults) -> (String, String) {
    let mut typed = form_urlencoded::Serializer::new(String::new());
    typed.append_pair(SHIFT, &found.shifts[0].id.to_string()).extend_pairs(fields);
    let typed = Typed::parse(typed.finish().as_bytes());
    let page = page(StatusCode::OK, found, SITE, &typed, faults, found.event.created_at);
    let caching = page.headers()[CACHE_CONTROL].to_str().unwrap().to_owned();
    let html = page.into_body().collect().await.unwrap().to_bytes();
    (caching, String::from_utf8(html.to_vec()).unwrap())
}

#[tokio::test]
async fn the_form_says_what_the_organization_does_with_the_details() {
    let (service, created) = sample_event().await;
    let mut found = service.volunteers().event(&created.event.slug).await.unwrap();
    let (_, without) = form_html(&found, &[], &Faults::new()).await;
    assert!(!without.contains("privacy"), "{without}");
    found.organization.privacy_url = Some("https://riverside.example.org/privacy".parse().unwrap());
    let (_, html) = form_html(&found, &[], &Faults::new()).await;
    assert!(html.contains("<a href=\"https://riverside.example.org/privacy\""), "{html}");
}

#[tokio::test]
async fn no_cache_stores_a_form_with_what_was_typed() {
    let (service, created) = sample_event().await;
    let found = service.volunteers().event(&created.event.slug).await.unwrap();
    assert_eq!(form_html(&found, &[], &Faults::new()).await.0, "no-cache");
    assert_eq!(form_html(&found, &[("name", "Ada")], &Faults::new()).await.0, "no-store");
}

#[tokio::test]
async fn a_further_person_has_a_row_with_problems_of_its_own() {
    let (service, created) = sample_event().await;
    let question = NewQuestion::new("Diet".parse().unwrap(), QuestionKind::Text).required();
    service.admin().add_question(created.event.id, question).await.unwrap();
    let found = service.volunteers().event(&created.event.slug).await.unwrap();
    let mut input = SignUpInput::new("Ada", "ada@example.org");
    let answer = |text: &'static str| (found.questions[0].id.to_string().into(), text.into());
    input.people[0].answers.extend([answer("none")]);
    let nameless = VolunteerInput { answers: [answer("none")].into(), ..VolunteerInput::default() };
    input.people.extend([VolunteerInput::new("ada"), nameless]);
    let faults = input.check(&found.questions, &found.shifts).unwrap_err();
    let typed = Typed::default();
    let of = |row| mistakes(&person(row, &found, &typed, &faults));
    assert_eq!(of(0), [""; 0]);
    assert_eq!(
        of(1),
        ["Person 2 is in the form already. Enter each person once", "Enter an answer for “Diet” (person 2)"]
    );
    assert_eq!(of(2), ["Enter the name of person 3"]);
    assert!(!person(1, &found, &typed, &faults).fields.iter().any(|field| field.is_enforced));
}

#[tokio::test]
async fn a_form_has_at_most_ten_people() {
    let (service, created) = sample_event().await;
    let found = service.volunteers().event(&created.event.slug).await.unwrap();
    for (row, count, can_add) in [("", 2, true), ("people.8.name", 10, false), ("people.9.name", 10, false)] {
        let (_, html) = form_html(&found, &[("add", "person"), (row, "Bo")], &Faults::new()).await;
        assert_eq!(html.matches("type=\"text\"").count(), count, "{row}");
        assert_eq!(html.contains("Add another person"), can_add, "{row}");
    }
}
