//! The lines that management commands print: their members, the order of the members, and the spelling of the values.

use serde_json::{Value, json};

use crate::harness::{Server, run};
use crate::lives::id;
use crate::mails::{SOON, with_mailbox};
use crate::pages::{Page, published};
use crate::person_commands::accept;
use crate::webhooks::{new_webhook, webhook_path};

/// Runs a command and returns its only line of output.
fn line(server: &Server, arguments: &[&str]) -> String {
    let output = run(&[&["--database", &server.database()], arguments].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let line = text.strip_suffix('\n').unwrap();
    assert!(!line.contains('\n'), "{line}");
    line.to_owned()
}

/// Checks that a line has exactly these members in this order, without spaces. Returns the parsed line.
fn assert_members(line: &str, names: &[&str]) -> Value {
    let parsed: Value = serde_json::from_str(line).unwrap();
    let members: Vec<_> = names.iter().map(|name| format!("\"{name}\":{}", parsed[*name])).collect();
    assert_eq!(line, format!("{{{}}}", members.join(",")));
    parsed
}

#[test]
fn an_organization_is_printed_with_its_plan_contact_and_privacy_link() {
    let server = Server::start_on_sqlite();
    let created = line(
        &server,
        &[
            "organization",
            "create",
            "--name",
            "A \"quoted\" Ä",
            "--sport",
            "Rowing",
            "--public-url",
            "https://a.example/",
            "--contact",
            "Help@a.example",
            "--privacy-url",
            "https://a.example/privacy",
        ],
    );
    let names = ["id", "name", "slug", "sport", "public_url", "created_at", "plan", "contact", "privacy_url"];
    let created = assert_members(&created, &names);
    assert_eq!((&created["name"], &created["plan"]), (&json!("A \"quoted\" Ä"), &json!("free")));
    assert_eq!(
        (&created["contact"], &created["privacy_url"]),
        (&json!("Help@a.example"), &json!("https://a.example/privacy"))
    );
    let changed = ["organization", "plan", "--organization", "starter", "--plan", "calendar"];
    let changed = assert_members(&line(&server, &changed), &names);
    assert_eq!((&changed["sport"], &changed["plan"]), (&Value::Null, &json!("calendar")));
}

#[test]
fn a_new_token_is_printed_with_its_text_and_a_listed_one_with_its_dates() {
    let server = Server::start_on_sqlite();
    line(&server, &["organization", "create", "--name", "B"]);
    let scopes = ["--scopes", "slots:read,events:read"];
    let create = ["token", "create", "--organization", "b", "--name", "import"];
    let created = line(&server, &[create.as_slice(), &scopes].concat());
    let created =
        assert_members(&created, &["id", "organization_id", "name", "scopes", "expires_at", "token"]);
    assert_eq!(created["scopes"], json!(["events:read", "slots:read"]));
    let names = ["id", "organization_id", "name", "scopes", "expires_at", "created_at", "revoked_at"];
    let listed = assert_members(&line(&server, &["token", "list", "--organization", "b"]), &names);
    assert_eq!((&listed["id"], &listed["revoked_at"]), (&created["id"], &Value::Null));
    let revoke = ["token", "revoke", "--token-id", created["id"].as_str().unwrap()];
    let revoked = assert_members(&line(&server, &revoke), &names);
    assert!(revoked["revoked_at"].as_str().unwrap().ends_with("+00:00"), "{revoked}");
}

#[tokio::test]
async fn an_invitation_is_printed_with_its_link_and_a_member_with_their_role() {
    let server = Server::start_on_sqlite();
    let invite =
        ["person", "invite", "--organization", "starter", "--email", "Ada@example.org", "--role", "admin"];
    let link = ["--name", "Ada \"the\" Countess", "--base-url", "https://signup.example.org"];
    let invited = line(&server, &[&invite[..], &link].concat());
    let names = ["organization_id", "email", "name", "role", "expires_at", "link"];
    let invited = assert_members(&invited, &names);
    assert_eq!(
        (&invited["email"], &invited["name"], &invited["role"]),
        (&json!("Ada@example.org"), &json!("Ada \"the\" Countess"), &json!("admin"))
    );
    assert!(invited["expires_at"].as_str().unwrap().ends_with("+00:00"), "{invited}");
    let link = invited["link"].as_str().unwrap();
    let path = link.strip_prefix("https://signup.example.org").unwrap();
    accept(&server, &format!("{}{path}", server.url), &[("name", "Ada")]).await;
    let member = ["id", "email", "name", "organization_id", "role", "created_at"];
    let listed = assert_members(&line(&server, &["person", "list", "--organization", "starter"]), &member);
    assert_eq!((&listed["email"], &listed["role"]), (&json!("Ada@example.org"), &json!("admin")));
    let signed_out = line(&server, &["person", "sign-out", "--email", "ada@example.org"]);
    assert_eq!(assert_members(&signed_out, &["id", "email", "name"])["id"], listed["id"]);
    let remove = ["person", "remove", "--organization", "starter", "--email", "ada@example.org"];
    assert_eq!(assert_members(&line(&server, &remove), &member), listed);
}

#[tokio::test]
async fn an_event_is_printed_with_its_organization_and_its_deletion() {
    let server = Server::start_on_sqlite();
    let created = server.create(&published()).await;
    let event = created["id"].as_str().unwrap();
    let listed = [
        "id",
        "title",
        "description",
        "slug",
        "location",
        "is_virtual",
        "start_date",
        "end_date",
        "local_start_date",
        "local_end_date",
        "timezone",
        "is_published",
        "external_id",
        "cancelled_at",
        "cancellation_reason",
        "public_url",
        "created_at",
        "updated_at",
        "organization_id",
        "deleted_at",
    ];
    assert_members(&line(&server, &["event", "list", "--organization", "starter"]), &listed);
    let cancel = ["event", "cancel", "--event", event, "--reason", "A \"flooded\" hall"];
    let cancelled = line(&server, &cancel);
    let slots = cancelled.find(",\"slots\":[{").unwrap();
    let rest = cancelled.find(",\"organization_id\":").unwrap();
    let cancelled = assert_members(&[&cancelled[..slots], &cancelled[rest..]].concat(), &listed);
    assert_eq!(cancelled["cancellation_reason"], "A \"flooded\" hall");
    let deleted = assert_members(&line(&server, &["event", "delete", "--event", event]), &listed);
    assert!(deleted["deleted_at"].as_str().unwrap().ends_with("+00:00"), "{deleted}");
}

#[tokio::test]
async fn a_question_a_sign_up_its_mail_and_its_erasure_are_printed() {
    let server = Server::start_on_sqlite();
    let page = Page::create(&server, &published()).await;
    let event = page.event["id"].as_str().unwrap();
    let add = ["question", "add", "--event", event, "--label", "Size", "--type", "select"];
    let question = line(&server, &[add.as_slice(), &["--option", "S", "--option", "M"]].concat());
    let names = ["id", "event_id", "label", "type", "options", "required", "position"];
    let question = assert_members(&question, &names);
    assert_eq!((&question["type"], &question["options"]), (&json!("select"), &json!(["S", "M"])));

    let answer = format!("answer.{}", question["id"].as_str().unwrap());
    let slot = page.slot("Early");
    let form = [("slot_id", slot.as_str()), ("name", "Ada"), ("email", "ada@example.org"), (&answer, "M")];
    assert_eq!(page.post(&server, &form).await.status, 303);
    let signup = line(&server, &["signup", "list", "--event", event]);
    let answer = format!(r#"[{{"question_id":{},"label":"Size","value":"M"}}]"#, question["id"]);
    assert!(signup.contains(&format!(r#","answers":{answer},"#)), "{signup}");
    let names = [
        "id",
        "event_id",
        "slot_id",
        "slot_title",
        "slot_start_time",
        "slot_local_date",
        "slot_local_start_time",
        "name",
        "email",
        "answers",
        "status",
        "cancelled_at",
        "cancelled_by",
        "created_at",
        "updated_at",
    ];
    let signup = assert_members(&signup.replace(&answer, "[]"), &names);
    assert_eq!((&signup["status"], &signup["slot_id"]), (&json!("confirmed"), &json!(slot)));

    let erase = ["signup", "erase", "--email", "ada@example.org", "--organization", "starter"];
    let erased = assert_members(&line(&server, &erase), &["organization_id", "erased"]);
    assert_eq!(erased["erased"], 1);
}

#[tokio::test]
async fn a_webhook_is_printed_as_the_api_shows_it_and_without_its_secret() {
    let server = Server::start_on_sqlite();
    let created = new_webhook(&server).await;
    let names = [
        "id",
        "url",
        "description",
        "types",
        "is_enabled",
        "disabled_reason",
        "disabled_at",
        "last_success_at",
        "created_at",
        "updated_at",
    ];
    let listed = assert_members(&line(&server, &["webhook", "list", "--organization", "starter"]), &names);
    assert_eq!((&listed["id"], &listed["is_enabled"]), (&created["id"], &json!(true)));
    for (command, is_enabled) in [("disable", false), ("enable", true)] {
        let printed = line(&server, &["webhook", command, "--webhook-id", id(&created)]);
        let printed = assert_members(&printed, &names);
        assert_eq!(printed["is_enabled"], is_enabled);
        assert_eq!(server.get(&webhook_path(&created)).await.data(), printed);
    }
    let activity = server.get("/v1/activity?type=webhook.updated").await.data();
    assert_eq!(activity.as_array().unwrap().len(), 2);
    assert_eq!(activity[0]["actor"]["type"], "operator");
}

#[tokio::test]
async fn a_failed_mail_is_printed_with_its_reason() {
    let folder = tempfile::tempdir().unwrap();
    let database = format!("sqlite:{}", folder.path().join("signup.db").display());
    let (server, mailbox) = with_mailbox(&database);
    mailbox.answer("gone@example.org", &[(550, "no \"such\" user")]);
    let page = Page::create(&server, &published()).await;
    page.sign_up(&server, &page.slot("Early"), "Gone", "gone@example.org").await;
    let failed = "SELECT CAST(COUNT(*) AS TEXT) FROM notices WHERE failed_at IS NOT NULL";
    server.wait_for_sql(failed, "1", SOON).await;
    let names = [
        "id",
        "organization_id",
        "event_id",
        "slot_id",
        "signup_id",
        "recipient",
        "cause",
        "created_at",
        "attempts",
        "due_at",
        "failed_at",
        "reason",
    ];
    let failed = assert_members(&line(&server, &["notice", "list", "--failed"]), &names);
    assert_eq!((&failed["cause"], &failed["attempts"]), (&json!("signed_up"), &json!(1)));
    assert_eq!(failed["recipient"], "gone@example.org");
    assert!(failed["reason"].as_str().unwrap().contains("no \"such\" user"), "{failed}");
    assert_eq!(failed["due_at"], Value::Null, "a failed mail is not tried again");
}
