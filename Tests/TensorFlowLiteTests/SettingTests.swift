import Engine
import Foundation
import Testing

@testable import TensorFlowLiteFormat

/// What operators set beside their tensors: all of it is looked at, or named in a sentence.
@Suite("Settings of TensorFlow Lite's operators")
struct SettingTests {
  @Test(
    "Ends that count from the begins give LiteRT's numbers", arguments: LiteCase.cases("settings"))
  func answers(_ entry: LiteCase) throws {
    #expect(try entry.run().relative == 0)
  }

  @Test("A setting that no reader looks at is named", arguments: LiteCase.cases("refused"))
  func refusals(_ entry: LiteCase) throws {
    var sentence = ""
    do {
      _ = try LiteModel(.init([UInt8](entry.model))).graph()
    } catch let error as EngineError {
      sentence = error.message
    }
    #expect(sentence == entry.name)
  }

  @Test("Settings without a field are those of the schema")
  func names() {
    let listed: Set<String> = Set(LiteOperatorNames.all)
    for kind in LiteOperatorTable.standard.names where listed.contains(kind) {
      let settings = LiteSettingNames.settings(of: kind)
      #expect(settings.map { $0.kind > 0 && !$0.fields.isEmpty } ?? true, "\(kind)")
    }
    #expect(LiteSettingNames.settings(of: "STRIDED_SLICE")?.fields.last == "offset")
  }
}
