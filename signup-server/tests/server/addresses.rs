//! E-mail addresses of volunteers: new addresses, and stored addresses that only an earlier version accepted.

use serde_json::{Value, json};

use crate::harness::{Server, run};
use crate::mailbox::Mailbox;
use crate::mails::{SOON, to};
use crate::pages::{Page, published};

#[tokio::test]
async fn an_address_that_cannot_receive_mail_is_refused() {
    let server = Server::start(&[]);
    let page = Page::create(&server, &published()).await;
    for address in ["e@1.2.3.4.5", "x@example.0x1", "a@1.2.3.4", "a@example.org.", "a@ex_ample.org"] {
        let answer = page.sign_up(&server, &page.slot("Early"), "Ada", address).await;
        assert_eq!(answer.status, 422, "{address}");
        assert!(answer.text.contains("Enter an email address like name@example.com"), "{}", answer.text);
    }
    assert_eq!(page.filled(&server, "Early").await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_address_accepted_by_an_earlier_version_is_listed_shown_mailed_and_erased() {
    let server = Server::start_on_sqlite();
    let mailbox = Mailbox::start();
    let server = server.restart_with(&["--smtp", &mailbox.url()]);
    let page = Page::create(&server, &published()).await;
    let slot = page.slot("Early");
    for address in ["old@example.org", "ada@example.org"] {
        assert_eq!(page.sign_up(&server, &slot, "Ada", address).await.status, 303);
    }
    let mails = mailbox.wait_for(2, SOON).await;
    let link = mails.iter().find(|mail| mail.to == "old@example.org").unwrap().signup_path().unwrap();
    server
        .sql("UPDATE signups SET email = 'e@1.2.3.4.5', email_key = 'e@1.2.3.4.5' WHERE email = 'old@example.org'")
        .await;

    let shown = server.browse("GET", &link, None).await;
    assert!(shown.status == 200 && shown.text.contains("e@1.2.3.4.5"), "{}", shown.text);
    let event = page.event["id"].as_str().unwrap();
    let listed = run(&["signup", "list", "--event", event, "--database", &server.database()]);
    let signups: Vec<Value> = String::from_utf8(listed.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(signups.len(), 2, "{}", String::from_utf8_lossy(&listed.stderr));
    assert_eq!(page.filled(&server, "Early").await, 2);

    server.patch(&format!("/v1/slots/{slot}"), &json!({"start_time": "09:30"})).await;
    let mails = mailbox.wait_for(4, SOON).await;
    let mut told = to(&mails[2..]);
    told.sort_unstable();
    assert_eq!(told, ["ada@example.org", "e@1.2.3.4.5"]);

    let erase = ["signup", "erase", "--email", "E@1.2.3.4.5", "--organization", "starter"];
    assert_eq!(server.manage(&erase)["erased"], 1);
    assert_eq!(page.filled(&server, "Early").await, 1);
}
