//! What the tests of the life of an event share: paths, conflicts, tokens of other organizations, and volunteers.

use serde_json::{Value, json};

use crate::harness::{Answer, Server};
use crate::pages::Page;

/// The argument that lets a test name the address of each volunteer in `X-Forwarded-For`. A server accepts at most 120
/// forms a minute from one address.
pub(crate) const PROXY: [&str; 2] = ["--trusted-proxies", "127.0.0.1"];

/// Returns the id of a record.
pub(crate) fn id(record: &Value) -> &str {
    record["id"].as_str().unwrap()
}

/// Returns the path of an event.
pub(crate) fn path(event: &Value) -> String {
    format!("/v1/events/{}", id(event))
}

/// Panics unless the answer is 404 with the message of every unknown record.
pub(crate) fn assert_not_found(answer: &Answer, what: &str) {
    assert_eq!((answer.status, answer.json()), (404, json!({"message": "Not found."})), "{what}");
}

/// Creates an organization and returns a token of it.
pub(crate) fn token_of(server: &Server, organization: &str, plan: &str) -> String {
    let slug = organization.to_lowercase();
    server.manage(&["organization", "create", "--name", organization, "--plan", plan]);
    let made = server.manage(&["token", "create", "--organization", &slug, "--name", "t"]);
    made["token"].as_str().unwrap().to_owned()
}

/// Sends a request with another token than the server's own.
pub(crate) async fn send_as(
    server: &Server,
    token: &str,
    method: &str,
    path: &str,
    body: Option<&Value>,
) -> Answer {
    let request = server.request(method, path).bearer_auth(token);
    server.answer(if let Some(body) = body { request.json(body) } else { request }).await
}

/// Submits the form of volunteer `number`, each from an address of its own. The server runs with [`PROXY`].
pub(crate) async fn sign_up_as(server: &Server, page: &Page, slot: &str, number: usize) -> Answer {
    let email = format!("v{number}@example.org");
    submit_from(number, server, page, &[("slot_id", slot), ("name", "Ada"), ("email", &email)]).await
}

/// Submits a form from the client address of this number. The server runs with [`PROXY`].
pub(crate) async fn submit_from(
    number: usize,
    server: &Server,
    page: &Page,
    fields: &[(&str, &str)],
) -> Answer {
    let [.., b, c, d] = number.to_be_bytes();
    let request = server.request("POST", &format!("{}/signups", page.path));
    server.page_answer(request.header("x-forwarded-for", format!("10.{b}.{c}.{d}")).form(fields)).await
}

/// Returns the sign-ups of an event, newest first. Panics if there are more than 100.
pub(crate) async fn signups(server: &Server, event: &Value) -> Vec<Value> {
    let list = server.get(&format!("{}/signups?per_page=100", path(event))).await.json();
    assert!(list["meta"]["next_cursor"].is_null(), "{list}");
    list["data"].as_array().unwrap().clone()
}

/// Returns how many of these sign-ups are confirmed.
pub(crate) fn confirmed(signups: &[Value]) -> usize {
    signups.iter().filter(|signup| signup["status"] == "confirmed").count()
}

/// Adds a text question to an event and returns the path of the question.
pub(crate) async fn question(server: &Server, event: &Value) -> String {
    let answer = server.post(&format!("{}/questions", path(event)), &json!({"label": "Diet"})).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    format!("/v1/questions/{}", id(&answer.data()))
}
