import CoreML
import Foundation
import Platform
import Service

/// Computes predictions of several callers as one batch, for models whose first axis is a batch of any length.
///
/// The first prediction starts at once. Those that arrive while it runs wait, and are computed together afterwards. So
/// no prediction waits for others to arrive.
final class PredictionBatcher: Sendable {
  typealias Inputs = SendableBox<[String: MLFeatureValue]>
  typealias Result = SendableBox<any MLFeatureProvider>

  /// Predictions with the same key can be computed together.
  private struct Key: Hashable {
    let model: ObjectIdentifier
    /// For each input its name, and its shape without the first axis.
    let shapes: [String]
  }

  private struct Waiting {
    let inputs: Inputs
    let rows: Int
    let options: SendableBox<MLPredictionOptions>
    let wake: CheckedContinuation<Result, any Error>
  }

  private let most: Int
  private let lanes = Locked<[Key: [Waiting]]>([:])
  private let batched = Locked(0)

  /// How many predictions were computed together with others.
  var batchedCount: Int { batched.withLock { $0 } }

  /// - Parameter most: The maximum number of predictions in a batch.
  init(most: Int) { self.most = most }

  /// Returns whether the first axis of all inputs may have any length from 1 to the maximum.
  func takes(_ inputs: [String: MLFeatureValue], of model: MLModel) -> Bool {
    let features = model.modelDescription.inputDescriptionsByName
    let rows = Set(inputs.values.map { $0.multiArrayValue?.shape.first?.intValue ?? -1 })
    guard rows.count == 1, let count = rows.first, count > 0 else { return false }
    return inputs.keys.allSatisfy { name in
      guard let constraint = features[name]?.multiArrayConstraint?.shapeConstraint,
        constraint.type == .range, let range = constraint.sizeRangeForDimension.first?.rangeValue
      else { return false }
      return range.location <= 1 && range.length >= most * count
    }
  }

  /// Predicts, perhaps together with others.
  func prediction(
    from inputs: Inputs, with model: MLModel, _ options: MLPredictionOptions
  ) async throws -> Result {
    let options = SendableBox(options)
    let arrays = inputs.value.compactMapValues(\.multiArrayValue)
    let key = Key(
      model: ObjectIdentifier(model),
      shapes: arrays.map { "\($0) \($1.dataType.rawValue) \($1.shape.dropFirst())" }.sorted())
    let rows = arrays.values.first?.shape.first?.intValue ?? 0
    return try await withCheckedThrowingContinuation { wake in
      let isFirst = lanes.withLock { lanes in
        let isFirst = lanes[key] == nil
        lanes[key, default: []].append(
          Waiting(inputs: inputs, rows: rows, options: options, wake: wake))
        return isFirst
      }
      if isFirst { Task { await serve(key, model) } }
    }
  }

  /// Computes batches until no prediction waits.
  private func serve(_ key: Key, _ model: MLModel) async {
    while true {
      let batch = lanes.withLock { lanes -> [Waiting] in
        let batch = Array(lanes[key, default: []].prefix(most))
        if batch.isEmpty { lanes[key] = nil } else { lanes[key]?.removeFirst(batch.count) }
        return batch
      }
      guard let first = batch.first else { return }
      if batch.count > 1, let results = try? await together(batch, model, first.options.value) {
        batched.withLock { $0 += batch.count }
        for (one, result) in zip(batch, results) { one.wake.resume(returning: result) }
        continue
      }
      // One wrong input makes the whole batch fail, so each then gets its own prediction.
      for one in batch {
        do {
          let provider = try MLDictionaryFeatureProvider(dictionary: one.inputs.value)
          one.wake.resume(
            returning: SendableBox(
              try await model.prediction(from: provider, options: one.options.value)))
        } catch {
          one.wake.resume(throwing: error)
        }
      }
    }
  }

  private func together(
    _ batch: [Waiting], _ model: MLModel, _ options: MLPredictionOptions
  ) async throws -> [Result] {
    var inputs: [String: MLFeatureValue] = [:]
    for name in batch[0].inputs.value.keys {
      let arrays = batch.compactMap { $0.inputs.value[name]?.multiArrayValue }
      inputs[name] = MLFeatureValue(
        multiArray: MLMultiArray(
          concatenating: arrays, axis: 0, dataType: arrays[0].dataType))
    }
    let total = batch.reduce(0) { $0 + $1.rows }
    let provider = try MLDictionaryFeatureProvider(dictionary: inputs)
    let result = try await model.prediction(from: provider, options: options)
    var parts = batch.map { _ in [String: MLFeatureValue]() }
    for name in result.featureNames {
      guard let array = result.featureValue(for: name)?.multiArrayValue,
        array.shape.first?.intValue == total
      else { throw HTTPError(422, "no_batch", "The output '\(name)' has no batch axis.") }
      let step = array.strides[0].intValue * (array.dataType.rawValue & 0xFFFF) / 8
      var row = 0
      for (index, one) in batch.enumerated() {
        // Safe: the rows are within the array, which the closure keeps until the part is released.
        let part = try MLMultiArray(
          dataPointer: array.dataPointer + row * step,
          shape: [NSNumber(value: one.rows)] + array.shape.dropFirst(), dataType: array.dataType,
          strides: array.strides
        ) { _ in withExtendedLifetime(array) {} }
        parts[index][name] = MLFeatureValue(multiArray: part)
        row += one.rows
      }
    }
    return try parts.map { SendableBox(try MLDictionaryFeatureProvider(dictionary: $0)) }
  }
}
