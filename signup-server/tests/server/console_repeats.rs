//! What the console says about a form that was sent before: what it made, and that what it made is gone.

use insta::assert_snapshot;
use signup_core::Digest;

use crate::console::{ADA, Organizer};
use crate::console_events::{Fields, ROOT};
use crate::console_roles::Records;
use crate::harness::Server;
use crate::snapshots::{readable, stable};

/// A page that makes something, with the fields that make it.
type Maker = (&'static str, &'static [(&'static str, &'static str)]);

#[rustfmt::skip]
const MAKERS: [Maker; 9] = [
    ("/events/new", &[("title", "Gala"), ("start_date", "2099-06-05"), ("timezone", "UTC")]),
    ("/events/{id}/duplicate", &[("start_date", "2099-07-05")]),
    ("/events/{id}/shifts/new", &[("shifts.0.title", "Till"), ("shifts.0.capacity", "2")]),
    ("/events/{id}/questions/new", &[("label", "Diet")]),
    ("/events/{id}/message", &[("text", "Bring gloves."), ("subject", "Gloves"), ("confirmed", "yes")]),
    ("/settings/tokens", &[("name", "import"), ("action", "create"), ("scopes", "events:read"), ("expires_in_days", "9")]),
    ("/settings/members", &[("email", "grace@example.org"), ("action", "invite"), ("name", "Grace"), ("role", "admin")]),
    ("/settings/members", &[("email", ADA), ("action", "invite"), ("name", "Ada"), ("role", "admin")]),
    ("/settings/webhooks", &[("url", "https://example.org/hooks"), ("action", "create"), ("types", "*")]),
];

/// Returns the form of a maker with an idempotency key of its own.
fn form_of(number: usize, fields: &[(&str, &str)]) -> Fields {
    let form = fields.iter().fold(Fields(vec![]), |form, (name, value)| form.with(name, value));
    form.with("idempotency_key", &Digest::of(&number.to_string()).to_string())
}

/// Returns the last idempotency key of a page. Each of its forms has one.
fn key(form: &Fields) -> &str {
    &form.0.iter().rfind(|(name, _)| name == "idempotency_key").unwrap().1
}

/// Returns the notice on a page about a form that was sent before.
fn notice(page: &str) -> &str {
    let (_, notice) = page.split_once("## You’ve already sent this form").unwrap_or_else(|| panic!("{page}"));
    notice.split("\n#").next().unwrap()
}

/// The same form makes nothing more. With another first field, it is refused, and can be sent as a new form.
#[tokio::test]
async fn a_form_whose_key_was_used_says_what_it_created_and_keeps_what_was_typed() {
    let server = Server::start(&["--smtp", "smtp://127.0.0.1:1"]);
    let ada = Organizer::first_owner(&server).await;
    let records = Records::create(&server).await;
    let newest = async || server.get("/v1/activity?per_page=1").await.data()[0]["id"].clone();
    let mut text = String::new();
    for (number, (page, fields)) in MAKERS.into_iter().enumerate() {
        let (path, form) = (records.path(page), form_of(number, fields));
        let first = form.post(&ada, &path).await;
        assert!([200, 303].contains(&first.status), "{page}: {}", first.text);
        let before = newest().await;
        let again = form.post(&ada, &path).await;
        assert!([200, 303].contains(&again.status), "{page}: the same form: {}", again.text);

        let changed = match fields[0].0 {
            "start_date" => "2099-07-06",
            "url" => "https://example.org/other",
            _ => "bo@example.org",
        };
        let mut form = form.clone().with(fields[0].0, changed);
        assert_eq!(form.post(&ada, &path).await.status, 409, "{page}");
        // The page that asks first does not ask about a form that was sent.
        form.0.retain(|(name, _)| name != "confirmed");
        let conflict = form.post(&ada, &path).await;
        assert_eq!((conflict.status, newest().await), (409, before), "{page}: {}", conflict.text);
        let shown = readable(&conflict);
        text += &format!("{page}{}\n\n", notice(&shown));
        let (_, target) = notice(&shown).rsplit_once('[').unwrap();
        assert_eq!(ada.get(target.split(']').next().unwrap()).await.status, 200, "{page}: {target}");
        let kept = Fields::of(&conflict);
        assert_eq!(kept.get(fields[0].0), changed, "{page}");
        assert_ne!(key(&kept), key(&form), "the values can be sent as a new form");
        let reloaded = Fields::of(&form.post(&ada, &path).await);
        assert_eq!(key(&reloaded), key(&kept), "{page}: as one form, also if the page is loaded again");
    }
    assert_snapshot!(stable(&text));
}

#[tokio::test]
async fn a_repeated_form_says_that_what_it_made_is_gone() {
    let server = Server::start(&["--smtp", "smtp://127.0.0.1:1"]);
    let ada = Organizer::first_owner(&server).await;
    let records = Records::create(&server).await;
    let mut text = String::new();
    for (number, (page, fields)) in MAKERS.into_iter().enumerate() {
        let (path, form) = (records.path(page), form_of(number, fields));
        let made = form.post(&ada, &path).await;
        assert_eq!(made.status, 303, "{page}: {}", made.text);
        // The browser follows. That page shows a new token.
        ada.get(made.header("location").unwrap()).await;
        let list = match page {
            "/events/{id}/shifts/new" => format!("/v1{}/slots", &records.path("/events/{id}")[ROOT.len()..]),
            "/events/{id}/questions/new" => {
                format!("/v1{}/questions", &records.path("/events/{id}")[ROOT.len()..])
            }
            "/settings/webhooks" => "/v1/webhooks".to_owned(),
            _ => "/v1/events".to_owned(),
        };
        let end = match page {
            "/settings/tokens" => Some(("token_id", "revoke")),
            "/settings/members" if fields[0].1 != ADA => Some(("invitation_id", "withdraw")),
            // A message stays, and a member was not invited.
            "/events/{id}/message" | "/settings/members" => continue,
            _ => None,
        };
        if let Some((field, end)) = end {
            let shown = Fields::of(&ada.get(&path).await);
            let gone = ada.post(&path, &[("action", end), (field, shown.get(field))]).await;
            assert_eq!(gone.status, 303, "{page}");
        } else {
            let data = server.get(&list).await.data();
            let ids = data.as_array().unwrap().iter().map(|record| record["id"].as_str().unwrap());
            let path = format!("/v1/{}/{}", list.rsplit('/').next().unwrap(), ids.max().unwrap());
            assert_eq!(server.send("DELETE", &path, None).await.status, 200, "{page}");
        }
        let again = form.post(&ada, &path).await;
        assert_eq!(again.status, 409, "{page}: {}", again.text);
        text += &format!("{page}{}\n\n", notice(&readable(&again)));
        assert_eq!(Fields::of(&again).get(fields[0].0), fields[0].1, "{page}: what was typed is kept");
    }
    assert_snapshot!(stable(&text));
}
