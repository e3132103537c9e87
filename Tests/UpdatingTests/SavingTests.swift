import CoreML
import Foundation
import ModelFormat
import Testing

/// Tests saving an updated model with Foundation's functions.
@Suite struct SavingTests {
  @Test("An updated model replaces the old one with the two-argument form of replaceItemAt")
  func replacing() throws {
    try Fixtures.withFolder { folder in
      let start: URL = try NeighborModels.empty().written(to: folder)
      let saved: URL = folder.appendingPathComponent("personalized.mlmodelc")
      let draft: URL = folder.appendingPathComponent("personalized_tmp.mlmodelc")
      let manager = FileManager.default
      try manager.moveItem(at: MLModel.compileModel(at: start), to: saved)
      for (label, x) in [("low", Float(0)), ("high", 9)] {
        let context: MLUpdateContext = try update(
          saved, with: try (0..<3).map { try NeighborModels.point([x, Float($0)], label) })
        try manager.createDirectory(
          at: draft, withIntermediateDirectories: true, attributes: nil)
        try context.model.write(to: draft)
        let result: URL? = try manager.replaceItemAt(saved, withItemAt: draft)
        #expect(result == saved)
      }
      let model = try MLModel(contentsOf: saved, configuration: exactConfiguration())
      #expect(try NeighborModels.label(of: [0, 1], by: model).stringValue == "low")
      #expect(try NeighborModels.label(of: [9, 1], by: model).stringValue == "high")
      #expect(!manager.fileExists(atPath: draft.path))
    }
  }

  @Test("A failed replacement gives the reason")
  func refusal() throws {
    try Fixtures.withFolder { folder in
      let missing: URL = folder.appendingPathComponent("missing")
      let error: CocoaError? = #expect(throws: CocoaError.self) {
        try FileManager.default.replaceItemAt(
          folder.appendingPathComponent("a"), withItemAt: missing)
      }
      #expect(error?.code == .fileNoSuchFile)
      let words: String = error?.localizedDescription ?? ""
      #expect(words.contains("\(missing.path)' cannot be put in another's place"), "\(words)")
    }
  }
}
