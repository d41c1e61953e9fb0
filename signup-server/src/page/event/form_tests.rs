//! Tests of the form of a shift, and of what stands beside it.

use std::collections::HashSet;
use std::mem::discriminant;

use http_body_util::BodyExt as _;
use signup_core::{Day, Hours, NewQuestion, QuestionKind, SignUpInput};

use super::*;
use crate::sample_event::sample_event;

const SITE: Site<'_> = Site { path: "/events/drive", url: "", sends_mail: true };

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
    let form = form(&found.shifts[0], &found, SITE, None);
    let fields = form.fields.iter().filter(|field| field.name.starts_with("answer."));
    let kinds: HashSet<_> = fields.map(|field| discriminant(&field.kind)).collect();
    assert_eq!(kinds.len(), QuestionKind::ALL.len());
}

/// Returns the HTML of the page of an event.
async fn page_html(found: &PublicEvent) -> String {
    let now = found.event.created_at;
    let page = page(StatusCode::OK, found, SITE, &Focus::default(), now);
    let html = page.into_body().collect().await.unwrap().to_bytes();
    String::from_utf8(html.to_vec()).unwrap()
}

#[tokio::test]
async fn the_page_says_how_to_reach_the_organization_and_each_form_what_it_does_with_the_details() {
    let (service, created) = sample_event().await;
    let mut found = service.volunteers().event(&created.event.slug).await.unwrap();
    let [contact, privacy] = [
        "<a href=\"mailto:help@riverside.example.org\"",
        "<a href=\"https://riverside.example.org/privacy\"",
    ];
    let without = page_html(&found).await;
    assert!(!without.contains("mailto:") && !without.contains("privacy"), "{without}");
    found.organization.contact = Some("help@riverside.example.org".parse().unwrap());
    found.organization.privacy_url = Some("https://riverside.example.org/privacy".parse().unwrap());
    let html = page_html(&found).await;
    assert!(html.contains(contact), "{html}");
    let form = html.split("<form").nth(1).unwrap().split("</form>").next().unwrap();
    assert!(form.contains(privacy), "{form}");
}

#[tokio::test]
async fn the_label_of_a_form_has_the_start_that_the_page_shows() {
    let (service, created) = sample_event().await;
    let mut found = service.volunteers().event(&created.event.slug).await.unwrap();
    let shift = &mut found.shifts[0];
    // Clocks jump from 02:00 to 03:00, so 02:30 does not exist.
    shift.first_day = Day::new("2099-03-08".parse().unwrap(), "America/New_York".parse().unwrap());
    shift.shift.hours = Hours::parse(Some("02:30"), Some("05:00")).unwrap();
    let html = page_html(&found).await;
    assert!(html.contains(r#"aria-label="Sign up for Early, 03:30""#), "{html}");
}

#[tokio::test]
async fn a_page_without_a_form_says_whether_a_place_can_become_free() {
    let (service, created) = sample_event().await;
    let mut found = service.volunteers().event(&created.event.slug).await.unwrap();
    let (full, over) = ("If someone cancels, their place will show here.", "Every shift is over.");
    let occupancy = &mut found.shifts[0].shift.occupancy;
    occupancy.filled = occupancy.capacity.volunteers();
    let html = page_html(&found).await;
    assert!(html.contains(full) && !html.contains(over), "{html}");
    // The event lasts until 2099.
    found.shifts[0].first_day = Day::new("2020-06-06".parse().unwrap(), "UTC".parse().unwrap());
    let html = page_html(&found).await;
    assert!(html.contains(over) && !html.contains(full), "{html}");
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
                "Enter an email address with only the letters a to z, digits and signs such as . + - _ before the @",
                "Tick “Which?” to sign up",
            ],
        ),
    ] {
        let answers = [(text.id, answer), (select.id, choice), (checkbox.id, "no")];
        let answers = answers.map(|(id, answer)| (id.to_string().into(), answer.into()));
        let mut input = SignUpInput::new(name, email);
        input.people[0].answers = answers.into();
        let faults = input.check(&found.questions, &[]).unwrap_err();
        let typed = BTreeMap::from([("email".to_owned(), email.to_owned())]);
        let focus = Focus { typed, faults, ..Focus::default() };
        let form = form(&found.shifts[0], &found, SITE, Some(&focus));
        assert_eq!(form.mistakes().into_iter().map(|(_, sentence)| sentence).collect::<Vec<_>>(), problems);
    }
}

#[tokio::test]
async fn no_cache_stores_a_page_with_what_was_typed() {
    let (service, created) = sample_event().await;
    let found = service.volunteers().event(&created.event.slug).await.unwrap();
    let caching = |status, focus: &Focus| {
        let page = page(status, &found, SITE, focus, found.event.created_at);
        page.headers()[CACHE_CONTROL].to_str().unwrap().to_owned()
    };
    let typed = BTreeMap::from([("name".to_owned(), "Ada".to_owned())]);
    let faults = SignUpInput::new("Ada", "").check(&[], &[]).unwrap_err();
    let refused = Focus { shift: Some(found.shifts[0].id), typed, faults, obstacle: None };
    assert_eq!(caching(StatusCode::UNPROCESSABLE_ENTITY, &refused), "no-store");
    let full = Focus { obstacle: Some(Obstacle::FULL), ..Focus::default() };
    for (status, focus) in [(StatusCode::OK, &Focus::default()), (StatusCode::CONFLICT, &full)] {
        assert_eq!(caching(status, focus), "no-cache");
    }
}

#[tokio::test]
async fn without_a_mail_server_no_page_of_a_volunteer_promises_a_mail() {
    let (service, created) = sample_event().await;
    let found = service.volunteers().event(&created.event.slug).await.unwrap();
    let (shift, now) = (found.shifts[0].id, found.event.created_at);
    for sends_mail in [true, false] {
        let site = Site { sends_mail, ..SITE };
        let obstacle = |obstacle| Focus { obstacle: Some(obstacle), ..Focus::default() };
        let focuses = [Focus::default(), obstacle(Obstacle::FULL), obstacle(Obstacle::OVER)];
        let mut pages: Vec<_> =
            focuses.iter().map(|focus| page(StatusCode::OK, &found, site, focus, now)).collect();
        let path = "/events/drive".to_owned();
        pages.extend(crate::page::signup::signed_up(&found, shift, path, sends_mail, now));
        for page in pages {
            let html = page.into_body().collect().await.unwrap().to_bytes();
            let html = String::from_utf8(html.to_vec()).unwrap();
            let main = html.split_once("<main").unwrap().1;
            let promises =
                ["email you", "An email", "Check your email"].iter().any(|words| main.contains(words));
            assert_eq!(promises, sends_mail, "{main}");
        }
    }
}
