//! Mails with odd names, titles and addresses, read by the strict parsers of Python.

use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{Server, sqlite};
use crate::lives::{PROXY, submit_from};
use crate::mailbox::Mailbox;
use crate::packages::{python, run, target};
use crate::pages::Page;

/// Texts that headers or calendars have to quote, encode or escape. None could be read as a link.
const ODD: [&str; 25] = [
    "Ada",
    "Ada.",
    ".",
    "J.R.R. Tolkien",
    "O'Neill",
    "Old \"Hall\"",
    "Lovelace, Ada; Mrs",
    "(Team) [B]",
    "<b>",
    "=?utf-8?q?now=3A_evil=2Eexample=2Fx?=",
    "=?utf-8?b?YQ==?= =?x?=",
    "?= =?",
    "a = b",
    "_ * %s \\n \\",
    "^n ^' ^^",
    "Zoë Núñez",
    "Straße №\u{a0}5",
    "李小龍",
    "می\u{200c}خواهم",
    "ශ්\u{200d}රී ලංකා",
    "👩\u{1f3fd}\u{200d}⚕\u{fe0f}",
    "e\u{301}e\u{301}e\u{301}e\u{301}",
    "Mr. X, \u{1f469}\u{200d}\u{1f469}\u{200d}\u{1f467}",
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "ааааааааааааааааааааааааааааааааааааааа",
];
/// The number of organizations. Each has an event.
const ORGANIZATIONS: usize = ODD.len();
/// The number of shifts of an event. Each has a volunteer.
const VOLUNTEERS: usize = 12;

/// Returns one or two of the odd texts on one line.
fn odd(number: usize) -> String {
    let (first, second) = (ODD[number % ODD.len()], ODD[(number / ODD.len() + 7 * number) % ODD.len()]);
    let both = format!("{first} {second}");
    let text = if both.chars().count() <= 40 { &both } else { first };
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Creates an organization with an event, whose shifts have odd titles and places. Returns the event's page.
async fn event_of(server: &Server, number: usize) -> Page {
    let organization = server.manage(&["organization", "create", "--plan", "pro", "--name", &odd(number)]);
    let organization = organization["id"].as_str().unwrap();
    let contact = format!("o'hara+{number}@bücher.example");
    server.manage(&["organization", "update", "--organization", organization, "--contact", &contact]);
    let token = server.manage(&["token", "create", "--organization", organization, "--name", "t"]);
    let shift = |shift| {
        let title = odd(number * VOLUNTEERS + shift + 3);
        json!({"title": title, "location": odd(number + shift + 5), "capacity": 1})
    };
    let body = json!({
        "title": odd(number + 1), "start_date": "2027-06-05", "timezone": "UTC", "is_published": true,
        "location": format!(" {} ", odd(number + 2)), "shifts": (0..VOLUNTEERS).map(shift).collect::<Vec<_>>(),
    });
    let request = server.request("POST", "/v1/events").bearer_auth(token["token"].as_str().unwrap());
    let created = server.answer(request.json(&body)).await;
    assert_eq!(created.status, 201, "{}", created.text);
    let event = created.data();
    Page { path: format!("/events/{}", event["slug"].as_str().unwrap()), event }
}

/// The folder `mails` in the target folder keeps the mails for other programs.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn strict_parsers_read_mails_and_calendars_with_odd_names_as_they_were_given() {
    let Some(python) = python() else { return };
    let (_folder, database) = sqlite();
    let mailbox = Mailbox::start();
    let from = ["--smtp", &mailbox.url(), "--mail-from", "Signup <help@example.org>"];
    let server = Server::start_on(&database, &[PROXY.as_slice(), &from].concat());
    let mut expected = vec![];
    for number in 0..ORGANIZATIONS {
        let page = event_of(&server, number).await;
        let (event, slots) = (&page.event, page.event["slots"].as_array().unwrap());
        for (place, slot) in slots.iter().enumerate() {
            let volunteer = expected.len();
            // A mail leaves a name with a backslash out.
            let name = odd(volunteer + 4).replace('\\', "#");
            let email = format!("v.{volunteer}_x=y'z@example.org");
            let fields = [("slot_id", slot["id"].as_str().unwrap()), ("name", &name), ("email", &email)];
            let answer = submit_from(volunteer, &server, &page, &fields).await;
            assert_eq!(answer.status, 303, "{place}: {}", answer.text);
            let [title, shift] = [&event["title"], &slot["title"]].map(|text| text.as_str().unwrap());
            let own = slot["location"].as_str().unwrap();
            let of_event = event["location"].as_str().unwrap().trim();
            expected.push(json!({
                "from": [odd(number), "help@example.org"],
                "to": [name, email],
                "reply_to": format!("o'hara+{number}@xn--bcher-kva.example"),
                "subject": format!("You’re signed up: {title} – {shift}, Saturday 5 June"),
                "summary": format!("{title}: {shift}"),
                "location": if own == of_event { own.to_owned() } else { format!("{own}, {of_event}") },
            }));
        }
    }
    let mails = mailbox.wait_for(expected.len(), Duration::from_secs(120)).await;
    let mails_folder = target().join("mails");
    std::fs::create_dir_all(&mails_folder).unwrap();
    for (number, expected) in expected.iter().enumerate() {
        let mail = mails.iter().find(|mail| mail.to == expected["to"][1].as_str().unwrap()).unwrap();
        std::fs::write(mails_folder.join(format!("{number}.eml")), &mail.raw).unwrap();
    }
    std::fs::write(mails_folder.join("expected.json"), Value::from(expected).to_string()).unwrap();
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients/read_mails.py");
    run(Command::new(python).arg(program).arg(&mails_folder));
}
