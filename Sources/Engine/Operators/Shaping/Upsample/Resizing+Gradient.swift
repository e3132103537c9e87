import Graph

extension UpsampleOperator: DifferentiableOperator {
  public func gradients(_ context: inout GradientContext) throws -> [Graph.ValueID?] {
    switch mode {
    case .bilinear(let grid): return [try context.resizingGradient(grid)]
    case .nearest:
      let (rows, columns) = (Int(bounding: heightFactor), Int(bounding: widthFactor))
      guard hasIntegerFactors else {
        throw EngineError(
          .unsupported,
          "nearest upsampling by factors with fractions (\(heightFactor) × \(widthFactor)) has no gradient."
        )
      }
      guard rows * columns > 1 else { return [context.outputGradient] }
      // The gradient of a pixel is the sum of the gradients of its copies. An average pooling computes the mean of
      // these gradients, which is then multiplied by the number of copies.
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
  /// Adds the operators that compute the gradient of a linear resize's input. A resize multiplies the image by a matrix
  /// along the rows and by a matrix along the columns. The gradient multiplies by the transposes of these two matrices.
  fileprivate mutating func resizingGradient(_ grid: SamplingGrid) throws -> Graph.ValueID {
    let (small, large) = (shape(of: inputs[0]), shape(of: output))
    let rows = constant(grid.matrix(extent: small[-2], count: large[-2]))
    let columns = constant(grid.matrix(extent: small[-1], count: large[-1]))
    let across = try add(BatchedMatMulOperator(), outputGradient, columns)
    return try add(BatchedMatMulOperator(transposesLeft: true), rows, across)
  }
}

extension SamplingGrid {
  /// Returns the matrix of a linear resize, `[count, extent]`. Each element is the weight of an input pixel in an
  /// output point.
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
