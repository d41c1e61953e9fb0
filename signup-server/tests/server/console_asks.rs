//! What the console asks before it saves a form, and what it says about a form that was sent before.

use serde_json::json;
use signup_core::Digest;

use crate::console::{ADA, Organizer};
use crate::console_events::{Fields, ROOT, location};
use crate::console_roles::Records;
use crate::harness::{Answer, Server, event};
use crate::lives::id;
use crate::pages::Page;

/// Asserts that an answer asks, says each sentence, and leads back to the form. Returns what the page sends when it is confirmed.
fn assert_asks(asked: &Answer, sentences: &[&str]) -> Fields {
    assert_eq!(asked.status, 200, "{}", asked.text);
    for sentence in sentences {
        assert!(asked.text.contains(sentence), "{sentence}: {}", asked.text);
    }
    assert!(asked.text.contains("name=\"action\" value=\"change\">Change</button>"), "{}", asked.text);
    Fields::of(asked)
}

#[tokio::test]
async fn a_skipped_time_and_a_day_in_the_past_are_told_before_they_are_saved() {
    const SKIPPED: &str = "The clocks change on Sunday 14 March 2088, so “Early” can’t be at 02:30–05:00. It will be on Sunday 14 March \
                           2088, 03:30–05:00 EDT (New York time).";
    const PAST: &str = "Friday 5 June 2026 is in the past. No one will be able to sign up.";
    let server = Server::start(&[]);
    let ada = Organizer::first_owner(&server).await;
    let early =
        [("shifts.0.title", "Early"), ("shifts.0.start_time", "02:30"), ("shifts.0.end_time", "05:00")];
    let filled = |form: Fields, fields: &[(&str, &str)]| {
        fields.iter().fold(form, |form, (name, value)| form.with(name, value))
    };
    let new = format!("{ROOT}/events/new");
    let form = filled(Fields::of(&ada.get(&new).await), &early)
        .with("shifts.0.capacity", "3")
        .with("title", "Night")
        .with("timezone", "America/New_York");
    for (key, date, sentence) in [("first", "2088-03-14", SKIPPED), ("second", "2026-06-05", PAST)] {
        let events = server.count_events().await;
        let form = form.clone().with("idempotency_key", key).with("start_date", date);
        let asked = form.post(&ada, &new).await;
        let confirm = assert_asks(&asked, &[sentence]);
        assert_eq!(server.count_events().await, events, "not saved yet");
        let changed = Fields::of(&confirm.clone().with("action", "change").post(&ada, &new).await);
        assert_eq!((changed.get("start_date"), changed.get("shifts.0.title")), (date, "Early"));
        assert_eq!(confirm.post(&ada, &new).await.status, 303);
        assert_eq!(server.count_events().await, events + 1);
    }

    let page = Page::create(&server, &event()).await;
    let (event, shift) = (id(&page.event), page.slot("Early"));
    let at = format!("{ROOT}/events/{event}");
    for (path, date, sentence) in
        [(format!("{at}/duplicate"), "2026-06-05", PAST), (format!("{at}/edit"), "2026-06-05", PAST)]
    {
        let form = Fields::of(&ada.get(&path).await).with("start_date", date);
        assert_asks(&form.post(&ada, &path).await, &[sentence]);
    }
    let moved = Fields::of(&ada.get(&format!("{at}/edit")).await).with("start_date", "2088-03-14");
    assert_eq!(location(&moved.post(&ada, &format!("{at}/edit")).await), at, "no shift is at a skipped time");
    let edit = format!("{ROOT}/shifts/{shift}/edit");
    let form = Fields::of(&ada.get(&edit).await).with("start_time", "02:30").with("end_time", "05:00");
    let confirm = assert_asks(&form.post(&ada, &edit).await, &[SKIPPED]);
    assert_eq!(location(&confirm.post(&ada, &edit).await), at);
    let add = format!("{at}/shifts/new");
    let form = filled(Fields::of(&ada.get(&add).await), &early).with("shifts.0.capacity", "3");
    let confirm = assert_asks(&form.post(&ada, &add).await, &[SKIPPED]);
    assert_eq!(location(&confirm.post(&ada, &add).await), at);
}

#[tokio::test]
async fn a_form_that_cannot_be_saved_is_refused_before_it_is_asked_about() {
    let server = Server::start(&[]);
    let ada = Organizer::first_owner(&server).await;
    let records = Records::create(&server).await;
    let message = records.path("/events/{id}/message");
    let hello = [("subject", "Hello"), ("text", "Hello")];
    for _ in 0..5 {
        assert_eq!(ada.post(&message, &[&hello[..], &[("confirmed", "yes")]].concat()).await.status, 303);
    }
    let sixth = ada.post(&message, &hello).await;
    assert!(sixth.status == 409 && sixth.text.contains("at most 5 messages"), "{}", sixth.text);

    let mut over = event();
    over["start_date"] = json!("2026-01-03");
    let over = server.create(&over).await;
    let refused = ada.get(&format!("{ROOT}/events/{}/message", id(&over))).await;
    assert!(refused.status == 409 && refused.text.contains("This event is over"), "{}", refused.text);
    let leave = ada.get(&format!("{ROOT}/leave")).await;
    assert!(leave.text.contains("You’re the only owner of this organization."), "{}", leave.text);
    assert!(!leave.text.contains(">Leave</button>"), "{}", leave.text);
}

#[tokio::test]
async fn a_form_whose_key_was_used_says_what_it_created_and_keeps_what_was_typed() {
    let server = Server::start(&[]);
    let ada = Organizer::first_owner(&server).await;
    let records = Records::create(&server).await;
    for (page, fields, (changed, value), sentence, link) in [
        (
            "/events/new",
            &[("title", "Gala"), ("start_date", "2027-06-05"), ("timezone", "UTC")][..],
            ("title", "Ball"),
            "It created the event “Gala”.",
            "edit that event",
        ),
        (
            "/events/{id}/duplicate",
            &[("start_date", "2027-07-05")],
            ("start_date", "2027-07-06"),
            "It made the copy “Food drive” on Monday 5 July 2027.",
            "edit that copy",
        ),
        (
            "/events/{id}/shifts/new",
            &[("shifts.0.title", "Till"), ("shifts.0.capacity", "2")],
            ("shifts.0.title", "Bar"),
            "It added 1 shift.",
            "see and edit the shifts",
        ),
        (
            "/events/{id}/questions/new",
            &[("label", "Diet")],
            ("label", "Allergies"),
            "It added the question “Diet”.",
            "edit that question",
        ),
        (
            "/events/{id}/message",
            &[("subject", "Gloves"), ("text", "Bring gloves."), ("confirmed", "yes")],
            ("text", "Bring boots."),
            "It sent the message “Gloves”.",
            "go back to the event",
        ),
        (
            "/settings/tokens",
            &[("action", "create"), ("name", "import"), ("scopes", "events:read"), ("expires_in_days", "9")],
            ("name", "export"),
            "It created the token “import”, which we can’t show again.",
            "see your tokens",
        ),
        (
            "/settings/members",
            &[("action", "invite"), ("email", "grace@example.org"), ("name", "Grace"), ("role", "admin")],
            ("email", "bo@example.org"),
            "It invited grace@example.org.",
            "see all members and invitations",
        ),
        (
            "/settings/members",
            &[("action", "invite"), ("email", ADA), ("name", "Ada"), ("role", "admin")],
            ("email", "bo@example.org"),
            "It was for someone who is a member already.",
            "see all members and invitations",
        ),
        (
            "/settings/webhooks",
            &[("action", "create"), ("url", "https://example.org/hooks"), ("types", "*")],
            ("url", "https://example.org/other"),
            "It created the webhook https://example.org/hooks.",
            "edit that webhook",
        ),
    ] {
        let path = records.path(page);
        let form = fields.iter().fold(Fields(vec![]), |form, (name, value)| form.with(name, value));
        let used = Digest::of(sentence).to_string();
        let form = form.with("idempotency_key", &used);
        let first = form.post(&ada, &path).await;
        assert!([200, 303].contains(&first.status), "{page}: {}", first.text);
        let again = form.post(&ada, &path).await;
        assert!([200, 303].contains(&again.status), "{page}: the same form: {}", again.text);

        let mut form = form.with(changed, value);
        assert_eq!(form.post(&ada, &path).await.status, 409, "{page}");
        // The page that asks first does not ask about a form that was sent.
        form.0.retain(|(name, _)| name != "confirmed");
        let conflict = form.post(&ada, &path).await;
        assert_eq!(conflict.status, 409, "{page}: {}", conflict.text);
        assert!(conflict.text.contains("<title>Error: "), "{page}: {}", conflict.text);
        let (_, notice) = conflict.text.split_once("<h2>You’ve already sent this form</h2>").unwrap();
        assert!(notice.contains(sentence), "{page}: {notice}");
        let (before, _) = notice.split_once(&format!("\">{link}</a>")).unwrap();
        let (_, target) = before.rsplit_once("<a href=\"").unwrap();
        assert_eq!(ada.get(target).await.status, 200, "{page}: {target}");
        let kept = Fields::of(&conflict);
        assert_eq!(kept.get(changed), value, "{page}");
        let key =
            |form: &Fields| form.0.iter().rfind(|(name, _)| name == "idempotency_key").unwrap().1.clone();
        assert_ne!(key(&kept), used, "the values can be sent as a new form");
        let reloaded = Fields::of(&form.post(&ada, &path).await);
        assert_eq!(key(&reloaded), key(&kept), "{page}: as one form, also if the page is loaded again");
    }
    let titles: Vec<_> = server
        .get("/v1/events")
        .await
        .data()
        .as_array()
        .unwrap()
        .iter()
        .map(|event| event["title"].clone())
        .collect();
    assert!(titles.contains(&json!("Gala")) && !titles.contains(&json!("Ball")), "{titles:?}");
}

#[tokio::test]
async fn a_repeated_form_says_that_what_it_made_is_gone() {
    let server = Server::start(&[]);
    let ada = Organizer::first_owner(&server).await;
    let records = Records::create(&server).await;
    let last = async |path: &str| {
        let data = server.get(path).await.data();
        let by_time = data.as_array().unwrap().iter().max_by_key(|record| id(record).to_owned()).unwrap();
        id(by_time).to_owned()
    };
    let event = records.path("/events/{id}").strip_prefix(ROOT).unwrap().to_owned();
    for (page, fields, list, gone, sentence) in [
        (
            "/events/new",
            &[("title", "Gala"), ("start_date", "2027-06-05"), ("timezone", "UTC")][..],
            "/v1/events".to_owned(),
            "events/",
            "It created the event “Gala”. It has been deleted since.",
        ),
        (
            "/events/{id}/duplicate",
            &[("start_date", "2027-07-05")],
            "/v1/events".to_owned(),
            "events/",
            "It made the copy “Food drive” on Monday 5 July 2027. It has been deleted since.",
        ),
        (
            "/events/{id}/shifts/new",
            &[("shifts.0.title", "Till"), ("shifts.0.capacity", "2")],
            format!("/v1{event}/slots"),
            "slots/",
            "It added 1 shift. All of them have been deleted since.",
        ),
        (
            "/events/{id}/questions/new",
            &[("label", "Diet")],
            format!("/v1{event}/questions"),
            "questions/",
            "It added the question “Diet”. It has been deleted since.",
        ),
        (
            "/settings/webhooks",
            &[("action", "create"), ("url", "https://example.org/hooks"), ("types", "*")],
            "/v1/webhooks".to_owned(),
            "webhooks/",
            "It created the webhook https://example.org/hooks. It has been deleted since.",
        ),
    ] {
        let path = records.path(page);
        let form = fields.iter().fold(Fields(vec![]), |form, (name, value)| form.with(name, value));
        let form = form.with("idempotency_key", &Digest::of(sentence).to_string());
        assert!([200, 303].contains(&form.post(&ada, &path).await.status), "{page}");
        let made = format!("/v1/{gone}{}", last(&list).await);
        assert_eq!(server.send("DELETE", &made, None).await.status, 200, "{page}");
        let again = form.post(&ada, &path).await;
        assert!(again.status == 409 && again.text.contains(sentence), "{page}: {}", again.text);
        assert_eq!(Fields::of(&again).get(fields[0].0), fields[0].1, "{page}: what was typed is kept");
    }

    let settings = |page: &str| format!("{ROOT}/settings/{page}");
    let invite = [("action", "invite"), ("email", "g@example.org"), ("name", "G"), ("role", "admin")];
    let invite = [&invite[..], &[("idempotency_key", "invite")]].concat();
    let token =
        [("action", "create"), ("name", "import"), ("scopes", "events:read"), ("expires_in_days", "9")];
    let token = [&token[..], &[("idempotency_key", "token")]].concat();
    for (page, form, field, end, sentence) in [
        (
            "members",
            invite,
            "invitation_id",
            "withdraw",
            "It invited g@example.org. The invitation has been accepted, replaced or withdrawn since.",
        ),
        (
            "tokens",
            token,
            "token_id",
            "revoke",
            "It created the token “import”, which we can’t show again. It has expired or been revoked since.",
        ),
    ] {
        let path = settings(page);
        assert_eq!(ada.post(&path, &form).await.status, 200, "{page}");
        let shown = ada.get(&path).await.text;
        let (_, rest) = shown.split_once(&format!("name=\"{field}\" value=\"")).unwrap();
        let made = rest.split('"').next().unwrap();
        assert_eq!(ada.post(&path, &[("action", end), (field, made)]).await.status, 303, "{page}");
        let again = ada.post(&path, &form).await;
        assert!(again.status == 409 && again.text.contains(sentence), "{page}: {}", again.text);
    }
}
