/// The page of what is supported, made of the results of all tests.
struct SupportPage {
  init(_ results: [(name: String, result: TestResult)]) {}
  var text: String { "" }
}
