//! The link of a message with which a volunteer turns messages off. The mails of reminders have the same.

use crate::console_signups::Scene;
use crate::harness::{Answer, Server};
use crate::mailbox::{Mail, Mailbox};
use crate::mails::SOON;
use crate::pages::assert_is_secured;

/// Sends a message. Returns the mail to Bob.
async fn message(scene: &Scene<'_>, mailbox: &Mailbox) -> Mail {
    let before = mailbox.count();
    let fields = [("subject", "Gloves"), ("text", "It is cold."), ("confirmed", "yes")];
    assert_eq!(scene.ada.post(&scene.path("message"), &fields).await.status, 303);
    let mails = mailbox.wait_for(before + 2, SOON).await;
    let to_bob = mails[before..].iter().find(|mail| mail.to == "bob@example.org");
    to_bob.unwrap().clone()
}

#[tokio::test]
async fn a_message_has_a_link_that_a_mail_program_or_a_browser_turns_messages_off_with() {
    let mailbox = Mailbox::start();
    let server = Server::start(&["--smtp", &mailbox.url()]);
    let scene = Scene::start(&server).await;
    for (before, (name, email)) in
        [("Bob", "bob@example.org"), ("Eve", "eve@example.org")].into_iter().enumerate()
    {
        scene.sign_up("Early", (name, email), "").await;
        mailbox.wait_for(before + 1, SOON).await;
    }
    let confirmation = mailbox.mails()[0].clone();
    let mail = message(&scene, &mailbox).await;
    let (link, confirmed) = (mail.signup_path().unwrap(), confirmation.signup_path().unwrap());
    let path = format!("{link}/unsubscribe");
    assert!(mail.header("List-Unsubscribe").ends_with(&format!("{path}>")));
    assert_eq!(mail.header("List-Unsubscribe-Post"), "List-Unsubscribe=One-Click");
    assert!(mail.text().contains(&path) && mail.html().contains(&path));
    assert!(!String::from_utf8_lossy(&confirmation.raw).contains("unsubscribe"));

    let asks = "Do you want to stop messages?";
    let get = async || server.browse("GET", &path, None).await;
    let page = get().await;
    assert!(page.status == 200 && page.text.contains(asks), "{}", page.text);
    assert_is_secured(&page);
    // As a mail program posts, without an origin and a cookie.
    let one_click = async |content_type: &str, body: &str| -> Answer {
        let post = server.request("POST", &path).header("content-type", content_type);
        server.page_answer(post.body(body.to_owned())).await
    };
    let body =
        "--b\r\nContent-Disposition: form-data; name=\"List-Unsubscribe\"\r\n\r\nOne-Click\r\n--b--\r\n";
    for (content_type, body) in [
        ("application/x-www-form-urlencoded", "List-Unsubscribe=One-Click"),
        ("multipart/form-data; boundary=b", body),
    ] {
        let done = one_click(content_type, body).await;
        assert!(done.status == 200 && done.text.contains("You won’t get messages any more"), "{}", done.text);
        assert!(get().await.text.contains("You won’t get messages any more"));
        let again = server.browse("POST", &path, Some(&[("subscribe", "1")])).await;
        assert!(again.status == 200 && again.text.contains("You’ll get messages again"), "{}", again.text);
        assert!(get().await.text.contains(asks));
    }
    let off = server.browse("POST", &path, Some(&[])).await;
    assert!(off.status == 200 && off.text.contains("Turn messages on again"), "{}", off.text);
    let of_bob = async |action| {
        let fields = [("action", action), ("email", "bob@example.org")];
        scene.ada.post("/console/riverside/settings/people", &fields).await
    };
    assert!(of_bob("find").await.text.contains("This volunteer has turned off messages."));
    assert_eq!(of_bob("export").await.json()["opt_outs"][0]["mails"], "messages");

    let unknown = format!("/signups/{}/unsubscribe", "s".repeat(43));
    for path in [format!("{confirmed}/unsubscribe"), unknown, "/signups/x/unsubscribe".to_owned()] {
        for method in ["GET", "POST"] {
            assert_eq!(server.browse(method, &path, None).await.status, 404, "{method} {path}");
        }
    }
}
