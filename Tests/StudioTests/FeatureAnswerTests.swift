import Foundation
import Testing

@testable import Studio

/// Tests the JSON of a prediction's outputs. The studio's page for models shows this JSON.
struct FeatureAnswerTests {
  @Test("An array says whether all of its elements are in the response", arguments: [true, false])
  func array(isComplete: Bool) throws {
    let answer = FeatureAnswer.array(shape: [2], values: [1, 2], isComplete: isComplete)
    let object = try #require(
      JSONSerialization.jsonObject(with: JSONEncoder().encode(answer)) as? [String: Any])
    #expect(object["kind"] as? String == "array")
    #expect(object["isComplete"] as? Bool == isComplete)
    let page = try String(
      contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("C/CStudioPages/pages/js/models.js"), encoding: .utf8)
    #expect(page.contains("value.isComplete"))
  }
}
