import Conversion
import Engine
import Foundation
import ModelTools

/// One model written in every format: what is written must be read again and planned as the model itself is, and
/// what is refused must leave nothing behind.
enum ConversionTrial {
  private static let endings = ["mlmodel", "mlpackage", "onnx"]

  /// What is wrong; nil where nothing is.
  ///
  /// - Parameter folder: holds the model, and gets what is written.
  static func fault(of source: URL, in folder: URL) throws -> String? {
    guard let model = try? ModelReaders.read(source) else { return nil }
    let types: [TensorType] = model.usualTypes
    let plan: EngineError? = failure { try planned(model, as: types) }
    for ending in endings {
      let before: Set<String> = try names(in: folder)
      let target: URL = folder.appendingPathComponent("made.\(ending)")
      do {
        try ModelConversion().convert(source, to: target)
      } catch {
        guard Trial.judged(error).0 == .refused else {
          return "converting to .\(ending) gives an error without a sentence: \(error)"
        }
        let left: Set<String> = try names(in: folder).subtracting(before)
        if let name = left.first { return "converting to .\(ending) left '\(name)' behind" }
        continue
      }
      if let fault = fault(ofWritten: target, types, plan) {
        return "converted to .\(ending): \(fault)"
      }
    }
    return nil
  }

  private static func fault(
    ofWritten file: URL, _ types: [TensorType], _ plan: EngineError?
  ) -> String? {
    let again: GraphModel
    do {
      again = try ModelReaders.read(file)
    } catch {
      return "what was written cannot be read: \(error)"
    }
    guard again.inputs.count == types.count else {
      return "what was written has \(again.inputs.count) inputs, expected \(types.count)"
    }
    let same: [TensorType] = zip(types, again.inputs).map { TensorType($0.shape, $1.held) }
    guard let failure = failure({ try planned(again, as: same) }) else { return nil }
    // Custom layers are carried along without their code, and both may want more than there is.
    let excuses: [EngineError.Code] = [.customLayer, .outOfMemory]
    if excuses.contains(failure.code) || plan.map({ excuses.contains($0.code) }) == true {
      return nil
    }
    return
      "what was written cannot be planned: \(failure.message) [of the model itself: \(plan?.message ?? "planned")]"
  }

  private static func planned(_ model: GraphModel, as types: [TensorType]) throws {
    let options = ExecutionOptions(
      precision: .float32, threads: 1, memoryLimit: Trial.memoryLimit * 2)
    _ = try Network(model.graph, passes: GraphPasses.standard, options: options).plan(for: types)
  }

  private static func failure(_ body: () throws -> Void) -> EngineError? {
    do {
      try body()
      return nil
    } catch let error as EngineError {
      return error
    } catch {
      return EngineError(.backend, "\(error)")
    }
  }

  private static func names(in folder: URL) throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: folder.path))
  }
}
