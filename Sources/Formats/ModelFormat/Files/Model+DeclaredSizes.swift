extension Spec.Model {
  /// Checks the declared sizes in a model's description, by the rules of Core ML's own validator. For a pipeline, also
  /// checks the descriptions of the pipeline's models. Readers and writers rely on two of these rules: a default size
  /// has one length per range, and each length is within its range.
  ///
  /// - Parameter name: The model's name in errors.
  /// - Throws: A ``ModelFormatError`` that names the feature whose sizes break a rule.
  func checkDeclaredSizes(name: String) throws {
    if let description {
      let ofFunctions: [Spec.FeatureDescription] = description.functions.flatMap {
        $0.input + $0.output + $0.state
      }
      for feature in description.input + description.output + description.state + ofFunctions {
        try feature.checkDeclaredSizes(model: name)
      }
    }
    let pipeline: Spec.Pipeline?
    switch type {
    case .pipeline(let message)?: pipeline = message
    case .pipelineClassifier(let message)?: pipeline = message.pipeline
    case .pipelineRegressor(let message)?: pipeline = message.pipeline
    default: pipeline = nil
    }
    for model in pipeline?.models ?? [] { try model.checkDeclaredSizes(name: name) }
  }
}

extension Spec.FeatureDescription {
  fileprivate func checkDeclaredSizes(model: String) throws {
    let fault: String?
    switch type?.type {
    case .imageType(let image)?: fault = image.sizeFault
    case .multiArrayType(let array)?: fault = array.sizeFault
    case .stateType(let state)?:
      if case .arrayType(let array)? = state.type { fault = array.sizeFault } else { fault = nil }
    default: fault = nil
    }
    guard let fault else { return }
    throw ModelFormatError(
      code: .damaged, message: "Model \(model): feature '\(name)' \(fault) The file may be damaged."
    )
  }
}

extension Spec.ArrayFeatureType {
  /// The end of an error's sentence about the feature. It says how the default shape contradicts the allowed ranges, or
  /// how a range contradicts itself. Nil if there is no contradiction.
  fileprivate var sizeFault: String? {
    guard case .shapeRange(let message)? = shapeFlexibility else { return nil }
    let ranges: [Spec.SizeRange] = message.sizeRanges
    for (axis, range) in ranges.enumerated() {
      if let fault = range.fault(of: "axis \(axis)") { return fault }
    }
    // A description that states only ranges, without a default shape, is valid.
    guard !shape.isEmpty else { return nil }
    guard shape.count == ranges.count else {
      return
        "declares a shape of \(shape.count) axes and ranges of \(ranges.count), expected one range for each axis."
    }
    for (axis, (extent, range)) in zip(shape, ranges).enumerated() where !range.contains(extent) {
      return "declares \(extent) for axis \(axis), expected \(range.boundsText)."
    }
    return nil
  }
}

extension Spec.ImageFeatureType {
  /// The end of an error's sentence about the feature. It says how the default size contradicts the allowed ranges, or
  /// how a range contradicts itself. Nil if there is no contradiction.
  fileprivate var sizeFault: String? {
    guard case .imageSizeRange(let ranges)? = sizeFlexibility else { return nil }
    let hasDefault: Bool = width > 0 && height > 0
    for (side, size, range) in [
      ("the width", width, ranges.widthRange), ("the height", height, ranges.heightRange),
    ] {
      guard let range else { continue }
      if let fault = range.fault(of: side) { return fault }
      if hasDefault, !range.contains(size) {
        return "declares \(size) for \(side), expected \(range.boundsText)."
      }
    }
    return nil
  }
}

extension Spec.SizeRange {
  /// Returns whether a length is within the range. An upper bound below 0 means that there is no upper bound.
  fileprivate func contains(_ size: Int64) -> Bool {
    size >= Int64(clamping: lowerBound) && (upperBound < 0 || size <= upperBound)
  }

  /// Returns the end of an error's sentence about the feature. It says how the lower bound contradicts the upper bound.
  /// Nil if there is no contradiction. Core ML accepts an upper bound of 0 with any lower bound.
  fileprivate func fault(of side: String) -> String? {
    guard upperBound > 0, lowerBound > UInt64(upperBound) else { return nil }
    return
      "declares at least \(lowerBound) and at most \(upperBound) for \(side), expected bounds in rising order."
  }

  fileprivate var boundsText: String {
    upperBound < 0 ? "\(lowerBound) or more" : "\(lowerBound) to \(upperBound)"
  }
}
