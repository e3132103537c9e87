import Graph
import ModelFormat
import Operators

extension [LayerReader] {
  /// Layers that slice, reverse, pad or mask a tensor along any axis.
  package static var slicing: [LayerReader] {
    [
      .sliceStatic, .sliceDynamic, .sliceBySize, .reverse, .reverseSeq, .slidingWindows,
      .constantPad, .lowerTriangular, .upperTriangular, .matrixBandPart,
    ]
  }
}

extension LayerReader {
  fileprivate static let sliceStatic = LayerReader("sliceStatic", SliceStaticOperator.self) {
    decoder in
    guard case .sliceStatic(let message)? = decoder.message.layer else {
      throw decoder.notA("sliceStatic")
    }
    try decoder.requireInputs(1...1)
    let begins: [Int] = try decoder.integers(message.beginIds, "beginIds")
    let ends: [Int] = message.endIds.map { ReferenceTensor.integer(Double($0)) }
    let strides: [Int] = try decoder.integers(message.strides, "strides")
    let rank: Int = begins.count
    let squeezed: [Bool] = message.squeezeMasks
    let lengths: [Int] = [
      ends.count, strides.count, message.beginMasks.count, message.endMasks.count,
    ]
    guard lengths.allSatisfy({ $0 == rank }), squeezed.isEmpty || squeezed.count == rank else {
      throw decoder.invalid(
        "beginIds names \(rank) axes, but endIds, strides, beginMasks and endMasks name \(lengths): all must agree."
      )
    }
    let slices: [AxisSlice] = (0..<rank).map { axis in
      AxisSlice(
        begin: message.beginMasks[axis] ? nil : begins[axis],
        end: message.endMasks[axis] ? nil : ends[axis], stride: strides[axis],
        isSqueezed: squeezed.isEmpty ? false : squeezed[axis])
    }
    return DecodedLayer(
      SliceStaticOperator(slices: slices),
      makesScalar: !slices.isEmpty && slices.allSatisfy(\.isSqueezed))
  }

  fileprivate static let sliceDynamic = LayerReader("sliceDynamic") {
    decoder -> SliceDynamicOperator in
    guard case .sliceDynamic(let message)? = decoder.message.layer else {
      throw decoder.notA("sliceDynamic")
    }
    try decoder.requireInputs(2...7)
    return SliceDynamicOperator(
      ends: message.endIds.map { ReferenceTensor.integer(Double($0)) },
      strides: try decoder.integers(message.strides, "strides"),
      beginMasks: message.beginMasks, endMasks: message.endMasks,
      squeezeMasks: message.squeezeMasks)
  }

  fileprivate static let sliceBySize = LayerReader("sliceBySize") {
    decoder -> SliceBySizeOperator in
    guard case .sliceBySize(let message)? = decoder.message.layer else {
      throw decoder.notA("sliceBySize")
    }
    try decoder.requireInputs(2...2)
    let size: Int = try decoder.integer(message.size, "size")
    guard size > 0 else { throw decoder.invalid("size is \(size), expected at least 1.") }
    return SliceBySizeOperator(axis: try decoder.integer(message.axis, "axis"), size: size)
  }

  fileprivate static let reverse = LayerReader("reverse") { decoder -> ReverseOperator in
    guard case .reverse(let message)? = decoder.message.layer else {
      throw decoder.notA("reverse")
    }
    try decoder.requireInputs(1...1)
    return ReverseOperator(isReversed: message.reverseDim)
  }

  fileprivate static let reverseSeq = LayerReader("reverseSeq") { decoder -> ReverseSeqOperator in
    guard case .reverseSeq(let message)? = decoder.message.layer else {
      throw decoder.notA("reverseSeq")
    }
    try decoder.requireInputs(2...2)
    return ReverseSeqOperator(
      batchAxis: try decoder.integer(message.batchAxis, "batchAxis"),
      sequenceAxis: try decoder.integer(message.sequenceAxis, "sequenceAxis"))
  }

  fileprivate static let slidingWindows = LayerReader("slidingWindows") {
    decoder -> SlidingWindowsOperator in
    guard case .slidingWindows(let message)? = decoder.message.layer else {
      throw decoder.notA("slidingWindows")
    }
    try decoder.requireInputs(1...1)
    let axis: Int = try decoder.integer(message.axis, "axis")
    let windowSize: Int = try decoder.size(message.windowSize, "windowSize")
    let step: Int = try decoder.size(message.step, "step")
    guard windowSize > 0, step > 0 else {
      throw decoder.invalid(
        "windowSize is \(windowSize) and step is \(step), expected both at least 1.")
    }
    return SlidingWindowsOperator(axis: axis, windowSize: windowSize, step: step)
  }

  fileprivate static let constantPad = LayerReader("constantPad") {
    decoder -> ConstantPadOperator in
    guard case .constantPad(let message)? = decoder.message.layer else {
      throw decoder.notA("constantPad")
    }
    try decoder.requireInputs(1...2)
    return ConstantPadOperator(
      value: message.value,
      amounts: decoder.inputCount == 2
        ? nil : try decoder.sizes(message.padAmounts, "padAmounts"),
      padsToSize: message.padToGivenOutputSizeMode)
  }

  fileprivate static let lowerTriangular = LayerReader("lowerTriangular") {
    decoder -> LowerTriangularOperator in
    guard case .lowerTriangular(let message)? = decoder.message.layer else {
      throw decoder.notA("lowerTriangular")
    }
    try decoder.requireInputs(1...1)
    return LowerTriangularOperator(diagonal: try decoder.integer(message.k, "k"))
  }

  fileprivate static let upperTriangular = LayerReader("upperTriangular") {
    decoder -> UpperTriangularOperator in
    guard case .upperTriangular(let message)? = decoder.message.layer else {
      throw decoder.notA("upperTriangular")
    }
    try decoder.requireInputs(1...1)
    return UpperTriangularOperator(diagonal: try decoder.integer(message.k, "k"))
  }

  fileprivate static let matrixBandPart = LayerReader("matrixBandPart") {
    decoder -> MatrixBandPartOperator in
    guard case .matrixBandPart(let message)? = decoder.message.layer else {
      throw decoder.notA("matrixBandPart")
    }
    try decoder.requireInputs(1...1)
    return MatrixBandPartOperator(
      lower: try decoder.integer(message.numLower, "numLower"),
      upper: try decoder.integer(message.numUpper, "numUpper"))
  }
}
