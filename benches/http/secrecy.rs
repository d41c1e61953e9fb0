//! Whether answers to a form tell who is signed up: the forms of new people and of people with a place, in turn.

use std::path::Path;
use std::time::Instant;

use signup_benches::quantile;

use crate::burst::Burst;
use crate::request::Request;
use crate::site::{Engine, Site};

/// The number of forms of each kind.
const FORMS: u64 = 2000;
/// The first number of people without a place. Numbers have six digits.
const NEW: u64 = 500_000;

/// One shift, which has room or is full.
struct Side {
    name: &'static str,
    slot: usize,
    status: u16,
}

const SIDES: [Side; 2] = [
    Side { name: "a shift with room", slot: 0, status: 303 },
    Side { name: "a full shift", slot: 1, status: 409 },
];

/// Measures each shift: how often the form of a person with a place takes longer than that of a new person.
///
/// # Panics
/// Panics if an answer differs in more than the address that was typed.
pub(crate) fn measure(program: &Path, engine: Engine<'_>) -> Vec<(String, f64)> {
    let site = Site::empty(program, engine, &[]);
    let event = site.publish();
    let form = |slot: usize, number: u64, status| {
        let body = format!("slot_id={}&name=Ada&email=ada{number:06}%40example.org", event.slots[slot]);
        let path = format!("/events/{}/signups", event.slug);
        let form = Request::with_body("POST", &path, "application/x-www-form-urlencoded", &body);
        let form = form.with_header("sec-fetch-site", "same-origin").with_status(status);
        form.with_header(
            "x-forwarded-for",
            &std::net::Ipv4Addr::from(0x0a00_0000 + number as u32).to_string(),
        )
    };
    for Side { slot, .. } in SIDES {
        let known: Vec<_> = (0..FORMS).map(|number| form(slot, number, 303)).collect();
        drop(site.runtime.block_on(Burst::of_each(site.process.port, &known)));
    }
    let full = format!("{{\"capacity\": {FORMS}}}");
    drop(site.json("PATCH", &format!("/v1/slots/{}", event.slots[1]), &full).send(site.process.port));
    let mut figures = vec![];
    for Side { name, slot, status } in SIDES {
        let ask = |number: u64| {
            let (form, began) = (form(slot, number, status), Instant::now());
            let answer = form.send_whole(site.process.port);
            (began.elapsed().as_secs_f64() * 1e3, comparable(&answer, number))
        };
        let (mut new, mut known) = (vec![], vec![]);
        for number in 0..FORMS {
            let answers = if number % 2 == 0 {
                let first = ask(number);
                (first, ask(NEW + number))
            } else {
                let first = ask(NEW + number);
                (ask(number), first)
            };
            let ((known_ms, of_known), (new_ms, of_new)) = answers;
            assert_eq!(of_known, of_new, "the answers differ");
            known.push(known_ms);
            new.push(new_ms);
        }
        figures.push((format!("{name}: new person, p50 ms"), quantile(&new, 0.5)));
        figures.push((format!("{name}: with a place, p50 ms"), quantile(&known, 0.5)));
        figures.push((format!("{name}: slower with a place (goal: 0.5)"), share_slower(&known, &new)));
    }
    figures
}

/// Returns an answer without the address that was typed, and without the headers that differ in each answer.
fn comparable(answer: &str, number: u64) -> String {
    let differs = |line: &str| line.starts_with("date:") || line.starts_with("x-request-id:");
    // The cookie holds what was typed, in Base64. Its length stays.
    let shown = |line: &str| match line
        .split_once("set-cookie: signed-up=")
        .and_then(|(_, cookie)| cookie.split_once(';'))
    {
        Some((value, attributes)) => format!("cookie of {} bytes;{attributes}", value.len()),
        None => line.to_owned(),
    };
    let lines: Vec<_> = answer.lines().filter(|line| !differs(line)).map(shown).collect();
    lines.join("\n").replace(&format!("ada{number:06}"), "ada")
}

/// Returns the share of pairs in which the first figure is above the second: 0.5 if the two cannot be told apart. With 2,000 of
/// each, the standard error is 0.009.
fn share_slower(ours: &[f64], theirs: &[f64]) -> f64 {
    let mut sorted = theirs.to_vec();
    sorted.sort_by(f64::total_cmp);
    let below: usize = ours.iter().map(|figure| sorted.partition_point(|their| their < figure)).sum();
    below as f64 / (ours.len() * theirs.len()) as f64
}
