import CoreML
import Foundation
import ModelFormat
import Testing

/// Saving what a model has learned, with Foundation's names.
@Suite struct SavingTests {
  @Test("An updated model takes the old one's place with two arguments of replaceItemAt")
  func replacing() throws {
    try Fixtures.withFolder { folder in
      let start: URL = try NeighborModels.empty().written(to: folder)
      let saved: URL = folder.appendingPathComponent("personalized.mlmodelc")
      let draft: URL = folder.appendingPathComponent("personalized_tmp.mlmodelc")
      let manager = FileManager.default
      try manager.moveItem(at: MLModel.compileModel(at: start), to: saved)
      for (label, place) in [("low", Float(0)), ("high", 9)] {
        let context: MLUpdateContext = try update(
          saved, with: try (0..<3).map { try NeighborModels.point([place, Float($0)], label) })
        try manager.createDirectory(
          at: draft, withIntermediateDirectories: true, attributes: nil)
        try context.model.write(to: draft)
        let place: URL? = try manager.replaceItemAt(saved, withItemAt: draft)
        #expect(place == saved)
      }
      let model = try MLModel(contentsOf: saved, configuration: exactConfiguration())
      #expect(try NeighborModels.label(of: [0, 1], by: model).stringValue == "low")
      #expect(try NeighborModels.label(of: [9, 1], by: model).stringValue == "high")
      #expect(!manager.fileExists(atPath: draft.path))
    }
  }

  @Test("What cannot take a place says why")
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
