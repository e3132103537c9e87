import Conversion
import Engine
import Foundation
import ModelTools

/// Converts one model to every format. Each written file must be readable. If the original can be planned, the written
/// model must be plannable, too. A refused conversion must leave no files.
enum ConversionTrial {
  private static let endings = ["mlmodel", "mlpackage", "onnx"]

  /// Describes the first problem of the conversions. Nil if there is no problem.
  ///
  /// - Parameter folder: contains the model, and receives the written files.
  static func fault(of source: URL, in folder: URL) throws -> String? {
    guard let model = try? ModelReaders.read(source) else { return nil }
    let (types, plan): ([TensorType], EngineError?) = usual(of: model)
    // If a model with free extents could not be planned, other extents, which were not tried, might succeed. So such a
    // model is not converted.
    if plan != nil, model.hasFreeExtents { return nil }
    for ending in endings {
      let before: Set<String> = try names(in: folder)
      let target: URL = folder.appendingPathComponent("made.\(ending)")
      do {
        try ModelConversion().convert(source, to: target)
      } catch {
        guard Trial.judged(error).0 == .refused else {
          return "converting to .\(ending) gives an error without a message: \(error)"
        }
        let left: Set<String> = try names(in: folder).subtracting(before)
        if let name = left.first { return "converting to .\(ending) left the file '\(name)'" }
        continue
      }
      if let fault = fault(ofWritten: target, types, plan) {
        return "converted to .\(ending): \(fault)"
      }
    }
    return nil
  }

  /// The numbers to try for free extents.
  private static let triedExtents: [Int] = [3, 1, 2, 4, 7, 32, 64]

  /// Returns the types of the inputs at the first sizes for which the model can be planned. If there are no such sizes,
  /// returns the types at the first sizes that were tried, and the error of planning.
  private static func usual(of model: GraphModel) -> (types: [TensorType], failure: EngineError?) {
    let types: [TensorType] = model.usualTypes
    guard let first = failure({ try planned(model, as: types) }) else { return (types, nil) }
    if model.hasFreeExtents {
      for number in triedExtents.dropFirst() {
        let others: [TensorType] = model.types(free: number)
        if failure({ try planned(model, as: others) }) == nil { return (others, nil) }
      }
    }
    return (types, first)
  }

  private static func fault(
    ofWritten file: URL, _ types: [TensorType], _ plan: EngineError?
  ) -> String? {
    let again: GraphModel
    do {
      again = try ModelReaders.read(file)
    } catch {
      return "the written model cannot be read: \(error)"
    }
    guard again.inputs.count == types.count else {
      return "the written model has \(again.inputs.count) inputs, expected \(types.count)"
    }
    let same: [TensorType] = zip(types, again.inputs).map { TensorType($0.shape, $1.held) }
    guard let failure = failure({ try planned(again, as: same) }) else { return nil }
    // Two kinds of errors are not counted as faults: custom layers are converted without their code, and a model may
    // need more memory than is free.
    let excuses: [EngineError.Code] = [.customLayer, .outOfMemory]
    if excuses.contains(failure.code) || plan.map({ excuses.contains($0.code) }) == true {
      return nil
    }
    return
      "the written model cannot be planned: \(failure.message) [the original: \(plan?.message ?? "planned")]"
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
