import Graph

extension UpsampleOperator: DifferentiableOperator {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    switch mode {
    case .bilinear(let grid): return [try context.resizingGradient(grid)]
    case .nearest:
      let (rows, columns) = (Int(bounding: heightFactor), Int(bounding: widthFactor))
      guard hasWholeFactors else {
        throw EngineError(
          .unsupported,
          "nearest upsampling by factors with fractions (\(heightFactor) × \(widthFactor)) has no gradient."
        )
      }
      guard rows * columns > 1 else { return [context.outputGradient] }
      // The sum over the copies of a pixel is their mean, as often as there are copies.
      let pooling = PoolingOperator(
        .average, kernelHeight: rows, kernelWidth: columns, strideHeight: rows,
        strideWidth: columns)
      let means = try context.add(pooling, context.outputGradient)
      return [try context.compute(.operand(0) * .number(Float(rows * columns)), of: [means])]
    }
  }
}

extension ResizeBilinearOperator: DifferentiableOperator {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    [try context.resizingGradient(grid)]
  }
}

extension GradientContext {
  /// Resizing is a product with one matrix for the rows and one for the columns; this multiplies by
  /// their transposes.
  fileprivate mutating func resizingGradient(_ grid: SamplingGrid) throws -> Graph.ValueID {
    let (small, large) = (shape(of: inputs[0]), shape(of: output))
    let rows = constant(grid.matrix(extent: small[-2], count: large[-2]))
    let columns = constant(grid.matrix(extent: small[-1], count: large[-1]))
    let across = try add(BatchedMatMulOperator(), outputGradient, columns)
    return try add(BatchedMatMulOperator(transposesLeft: true), rows, across)
  }
}

extension SamplingGrid {
  /// The share of each pixel in each point: `[count, extent]`.
  fileprivate func matrix(extent: Int, count: Int) -> ReferenceTensor {
    var result = ReferenceTensor([count, extent])
    for (row, point) in points(extent: extent, count: count).enumerated() {
      let tap = InterpolationTap(point, extent: extent)
      result[[row, tap.lower]] += 1 - tap.weight
      result[[row, tap.upper]] += tap.weight
    }
    return result
  }
}
