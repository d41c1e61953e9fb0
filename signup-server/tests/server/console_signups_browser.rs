//! The pages of sign-ups and volunteers' data in headless Chromium. axe-core finds no violation in any state.

use serde_json::json;

use crate::browser::{Browser, axe};
use crate::console_check_in::{at_the_door, path};
use crate::console_signups::Scene;
use crate::harness::Server;
use crate::mailbox::Mailbox;
use crate::mails::SOON;
use crate::pictures::Pictures;
use crate::wait::wait_until;

/// The pictures of sign-ups, messages and volunteers' data.
pub(crate) const PICTURES: &Pictures = &[
    (
        "console/signups.html",
        &["console-signups-empty", "console-signups", "console-signups-none", "console-signups-refused"],
    ),
    ("console/roster.html", &["console-roster-empty", "console-roster", "console-roster-addresses"]),
    ("console/poster.html", &["console-poster"]),
    (
        "console/check_in.html",
        &["console-check-in-empty", "console-check-in", "console-check-in-marked", "console-check-in-closed"],
    ),
    ("console/message.html", &["console-message", "console-message-refused"]),
    ("console/message_preview.html", &["console-message-preview"]),
    ("organizer_mail.html", &["mail-message"]),
    ("mail_choice.html", &["stop-messages", "messages-stopped"]),
    ("console/cancel_signup.html", &["console-cancel-signup", "console-cancel-signup-gone"]),
    ("console/move_signup.html", &["console-move-signup", "console-move-signup-refused"]),
    ("console/correct_signup.html", &["console-correct-signup", "console-correct-signup-refused"]),
    (
        "console/volunteers.html",
        &["console-people", "console-people-refused", "console-people-found", "console-people-erased"],
    ),
    ("console/erase_volunteer.html", &["console-people-erase"]),
    ("console/volunteer_list.html", &["console-volunteers", "console-volunteers-none"]),
    ("console/volunteer.html", &["console-volunteer"]),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sign_ups_are_read_printed_cancelled_and_erased_in_a_browser() {
    let Some(browser) = Browser::start().await else { return };
    let Some(axe) = axe() else { return };
    let mailbox = Mailbox::start();
    let server = Server::start(&["--smtp", &mailbox.url()]);
    let scene = Scene::start(&server).await;
    let url = |path: &str| format!("{}{path}", server.url);
    browser.sign_in_as(&scene.ada).await;

    browser.go_and_look(&url(&scene.path("signups")), "console-signups-empty", &axe).await;
    browser.go_and_look(&url(&scene.path("roster")), "console-roster-empty", &axe).await;
    scene
        .sign_up("Late", ("Grace Hopper", "grace@example.org"), "No nuts, no milk, and please no mushrooms")
        .await;
    scene.sign_up("Late", ("مريم العلوي", "maryam@example.org"), "نباتي").await;
    scene
        .sign_up(
            "Early",
            (&"Wolfeschlegelsteinhausenbergerdorff".repeat(3), &format!("{}@example.org", "x".repeat(60))),
            "",
        )
        .await;
    for (page, state) in [
        ("signups", "console-signups"),
        ("signups?q=nobody", "console-signups-none"),
        ("signups?status=maybe", "console-signups-refused"),
        ("roster", "console-roster"),
        ("roster?addresses=1", "console-roster-addresses"),
        ("poster", "console-poster"),
    ] {
        browser.go_and_look(&url(&scene.path(page)), state, &axe).await;
        if page.starts_with("roster") || page == "poster" {
            browser.look_printed(state).await;
        }
    }

    browser.go_and_look(&url(&scene.path("check-in")), "console-check-in-closed", &axe).await;
    let door = at_the_door(&server).await;
    browser.go_and_look(&url(&path(&door)), "console-check-in-empty", &axe).await;
    for (name, email) in [
        ("Mary Jackson", "mary@example.org"),
        ("مريم العلوي", "maryam@example.org"),
        ("Bob Stone", "bob@example.org"),
    ] {
        door.signed_up(&server, &door.slot("Door"), name, email).await;
    }
    browser.go_and_look(&url(&path(&door)), "console-check-in", &axe).await;
    browser.press("Didn’t come").await;
    browser.wait_for("Undo").await;
    browser.press_and_look("Here", "1 of 3 here", "console-check-in-marked", &axe).await;

    browser.go_and_look(&url(&scene.path("message")), "console-message", &axe).await;
    browser.press_and_look("Preview", "There is a problem", "console-message-refused", &axe).await;
    browser.fill("subject", "Bring gloves").await;
    let text = "The shelves are rusty.\n\nWe have some gloves: https://riverside.example.org/gloves";
    browser.fill("text", text).await;
    browser.press_and_look("Preview", "This sends 3 emails", "console-message-preview", &axe).await;
    browser.press("Send").await;
    let mail = wait_until(SOON, async || {
        let mail = mailbox.mails().into_iter().find(|mail| mail.text().contains("The shelves are rusty."));
        mail.ok_or_else(|| "no message arrived".to_owned())
    })
    .await;
    browser.look_at_mail("mail-message", &mail, &axe).await;
    let unsubscribe = format!("{}/unsubscribe", mail.signup_path().unwrap());
    browser.go_and_look(&url(&unsubscribe), "stop-messages", &axe).await;
    browser
        .press_and_look("Stop messages", "You won’t get messages any more", "messages-stopped", &axe)
        .await;

    browser.go(&url(&scene.path("signups?q=maryam"))).await;
    browser.follow("Correct").await;
    browser.wait_for("Correct a sign-up").await;
    browser.look("console-correct-signup", &axe).await;
    browser.fill("email", "maryam").await;
    browser.press_and_look("Save", "There is a problem", "console-correct-signup-refused", &axe).await;

    browser.go(&url(&scene.path("signups?q=maryam"))).await;
    browser.follow("Move").await;
    browser.wait_for("to another shift").await;
    browser.look("console-move-signup", &axe).await;
    browser.press_and_look("Move", "There is a problem", "console-move-signup-refused", &axe).await;

    browser.go(&url(&scene.path("signups?q=grace"))).await;
    browser.follow("Cancel").await;
    browser.wait_for("Optional.").await;
    browser.look("console-cancel-signup", &axe).await;
    let place = browser.driver.current_url().await.unwrap();
    browser.fill("reason", "The hall is closed").await;
    browser.press("Cancel the place").await;
    browser.wait_for("Cancelled by the organizer").await;
    browser.go_and_look(place.as_str(), "console-cancel-signup-gone", &axe).await;

    let volunteers = url("/console/riverside/volunteers");
    browser.go_and_look(&format!("{volunteers}?q=nobody"), "console-volunteers-none", &axe).await;
    browser.go_and_look(&volunteers, "console-volunteers", &axe).await;
    browser.follow("Grace Hopper").await;
    browser.wait_for("Download or erase this data").await;
    browser.look("console-volunteer", &axe).await;

    browser.go_and_look(&url("/console/riverside/settings/people"), "console-people", &axe).await;
    browser.press_and_look("Find", "There is a problem", "console-people-refused", &axe).await;
    browser.fill("email", "grace@example.org").await;
    browser.press_and_look("Find", "1 sign-up and", "console-people-found", &axe).await;
    browser.press_and_look("Erase", "You can’t undo this", "console-people-erase", &axe).await;
    browser.press_and_look("Erase", "1 sign-up has been erased", "console-people-erased", &axe).await;
    browser.assert_has_pictures(PICTURES);
}

/// The pictures of the summary.
pub(crate) const SUMMARY: &Pictures = &[
    ("console/summary.html", &["console-summary"]),
    ("summary_mail.html", &["mail-summary"]),
    ("mail_choice.html", &["stop-summaries"]),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_summary_is_mailed_and_stopped_by_its_link_in_a_browser() {
    let Some(browser) = Browser::start().await else { return };
    let Some(axe) = axe() else { return };
    let mailbox = Mailbox::start();
    let server = Server::start_on_sqlite_with(&["--smtp", &mailbox.url()]);
    let scene = Scene::start(&server).await;
    scene.sign_up("Early", ("Bob", "bob@example.org"), "").await;
    mailbox.wait_for(1, SOON).await;
    // As if two days had passed since.
    server.sql("UPDATE activity SET created_at = created_at - 172800").await;
    let due = "UPDATE notices SET remind_at = 0, cause = json_set(cause, '$.since', '2020-01-01T00:00:00Z') \
         WHERE json_extract(cause, '$.kind') = 'summary'";
    server.sql(due).await;
    let mail = wait_until(SOON, async || {
        let mail = mailbox.mails().into_iter().find(|mail| mail.text().contains("1 new sign-up"));
        mail.ok_or_else(|| "no summary arrived".to_owned())
    })
    .await;
    browser.sign_in_as(&scene.ada).await;
    browser.look_at_mail("mail-summary", &mail, &axe).await;
    let unsubscribe = mail.header("List-Unsubscribe");
    let unsubscribe = unsubscribe.trim_matches(['<', '>']);
    browser.go_and_look(unsubscribe, "stop-summaries", &axe).await;
    browser.press("Stop the summaries").await;
    browser.wait_for("Summaries are off").await;
    browser.go_and_look(&format!("{}/console/riverside/summary", server.url), "console-summary", &axe).await;
    browser.press("Email me a summary").await;
    browser.wait_for("Stop the summary").await;
    browser.assert_has_pictures(SUMMARY);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_roster_of_20_people_with_4_questions_and_a_poster_with_long_texts_are_one_sheet_of_paper() {
    let Some(browser) = Browser::start().await else { return };
    let server = Server::start(&[]);
    let scene = Scene::start(&server).await;
    let questions = format!("/v1/events/{}/questions", scene.id());
    let mut answers = vec![];
    for (label, answer) in
        [("T-shirt size", "XL"), ("Emergency contact", "+49 30 901820"), ("Languages", "German, Polish")]
    {
        let question = server.post(&questions, &json!({ "label": label })).await.data();
        answers.push((format!("answer.{}", question["id"].as_str().unwrap()), answer));
    }
    let slot = scene.page.slot("Late");
    for number in 0..20 {
        let (name, email) = (format!("Maximiliane Oberhauser {number}"), format!("max{number}@example.org"));
        let mut fields = vec![("slot_id", &*slot), ("name", &name), ("email", &email)];
        fields.extend(answers.iter().map(|(question, answer)| (&**question, *answer)));
        assert_eq!(scene.page.post(&server, &fields).await.status, 303);
    }
    browser.sign_in_as(&scene.ada).await;
    browser.go(&format!("{}{}", server.url, scene.path("roster"))).await;
    for (name, size) in [("console-roster-a4", (8.27, 11.69)), ("console-roster-letter", (8.5, 11.0))] {
        assert_eq!(browser.print(name, size).await, (1, true), "{name}");
    }
    let long = json!({
        "title": "Food ".repeat(50),
        "location": "Main street, ".repeat(150),
        "description": "We pack and hand out food. ".repeat(50),
        "end_date": "2097-06-08",
    });
    let path = format!("/v1/events/{}", scene.id());
    assert_eq!(server.patch(&path, &long).await.status, 200);
    let shift = |day| {
        let start = format!("0{day}:00");
        json!({"title": "Pack", "day": day, "start_time": start, "end_time": "12:00", "capacity": 1})
    };
    let shifts: Vec<_> = (2..=4).map(shift).collect();
    let shifts = json!({ "shifts": shifts });
    assert_eq!(server.post(&format!("{path}/slots"), &shifts).await.status, 201);
    browser.go(&format!("{}{}", server.url, scene.path("poster"))).await;
    for (name, size) in [("console-poster-a4", (8.27, 11.69)), ("console-poster-letter", (8.5, 11.0))] {
        assert_eq!(browser.print(name, size).await, (1, false), "{name}");
        let height = browser.printed_height(size, ".poster .qr svg").await;
        assert!(height > 5.9, "{name}: {height}");
    }
}
