import Engine
import Foundation
import Testing

@testable import TensorFlowLiteFormat

/// Tests that every option of an operator is either used or named in an error.
@Suite("Options of TensorFlow Lite's operators")
struct SettingTests {
  @Test(
    "A strided slice whose ends are relative to its begins matches LiteRT",
    arguments: LiteCase.cases("settings"))
  func answers(_ entry: LiteCase) throws {
    #expect(try entry.run().relative == 0)
  }

  @Test("An option that no reader uses is named in an error", arguments: LiteCase.cases("refused"))
  func refusals(_ entry: LiteCase) throws {
    var sentence = ""
    do {
      _ = try LiteModel(.init([UInt8](entry.model))).graph()
    } catch let error as EngineError {
      sentence = error.message
    }
    #expect(sentence == entry.name)
  }

  @Test("Options without a field have the schema's defaults")
  func names() {
    let listed: Set<String> = Set(LiteOperatorNames.all)
    for kind in LiteOperatorTable.standard.names where listed.contains(kind) {
      let settings = LiteOptionNames.settings(of: kind)
      #expect(settings.map { $0.kind > 0 && !$0.fields.isEmpty } ?? true, "\(kind)")
    }
    #expect(LiteOptionNames.settings(of: "STRIDED_SLICE")?.fields.last == "offset")
  }
}
