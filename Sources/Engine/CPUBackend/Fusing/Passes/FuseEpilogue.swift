import Graph
import Operators
import Passes

/// Fuses an addition into the convolution, instance norm or product of rows that computes one of the addition's
/// operands. The other operand becomes the residual. If a crop computes the residual, the crop becomes an offset.
///
///     convolution ─┐
///                  add                      convolution(residual: x from the crop's corner)
///     x ─ (crop) ──┘
public enum FuseResidual: GraphPass {
  public static let name = "FuseResidual"

  public static func run(on graph: inout Graph) throws {
    graph.rewrite { graph, position in
      let node = graph[position]
      guard node.operation.isPlainAddition, node.inputs.count == 2,
        node.inputs[0] != node.inputs[1],
        let shape = graph[node.outputs[0]].type?.shape, shape.rank >= 3,
        node.inputs.allSatisfy({ graph[$0].type?.shape == shape && graph[$0].constant == nil })
      else { return false }
      // Tries first to fuse into the producer that runs last, because the other operand exists before this producer
      // runs.
      let operands = node.inputs.sorted {
        (graph.writers[$0.index] ?? -1) > (graph.writers[$1.index] ?? -1)
      }
      for operand in operands {
        guard let producer = graph.soleProducer(of: operand) else { continue }
        var added = node.inputs[0] == operand ? node.inputs[1] : node.inputs[0]
        let offset = graph.uncrop(&added)
        let fused: any Operator
        let isRounded: Bool = graph.isRoundedToFloat16(node.outputs[0])
        if var layer = graph[producer].operation.asFusedConvolution,
          layer.epilogue.isEmpty || layer.epilogue == [.rounding] && isRounded,
          !layer.core.isDeconvolution, layer.inputNorm == nil,
          graph.hasConstantParameters(layer, producer)
        {
          // The inputs of a norm before the convolution would come after those of the epilogue.
          layer.epilogue.append(.residual(offset))
          fused = layer
        } else if offset == CropOperator.Offset(),
          let product = graph.product(producer, endingWith: .residual(offset), isRounded)
        {
          fused = product
        } else if var layer = graph[producer].operation.asFusedNorm, layer.epilogue.isEmpty {
          layer.epilogue = [.residual(offset)]
          fused = layer
        } else {
          continue
        }
        // The fused node takes the position of the addition, because both operands exist there.
        let fusedNode = Graph.Node(
          name: graph[producer].name, operation: fused, inputs: graph[producer].inputs + [added],
          outputs: node.outputs)
        graph.remove(producer)
        graph.replace(position, with: fusedNode)
        return true
      }
      return false
    }
  }
}

/// Fuses an activation into the convolution, instance norm or matrix product before it. The activation becomes the last
/// step of the convolution, norm or product. Also fuses a clip with the minimum 0 into the convolution before it, and
/// roundings to float16 into convolutions and products.
///
///     convolution ─ activation              convolution+activation
///
/// Kernels round every result or none. So if the producer rounds its result, a function is fused only if its results are
/// rounded as well, or are float16 values in any case.
public enum FuseActivation: GraphPass {
  public static let name = "FuseActivation"

  public static func run(on graph: inout Graph) throws {
    graph.rewrite { graph, position in
      let node = graph[position]
      guard let first = node.inputs.first, let producer = graph.soleProducer(of: first) else {
        return false
      }
      return graph.fuse(position, into: producer)
    }
  }
}

/// Fuses roundings to float16 into the convolutions, products and layer norms before them, so that ``FuseResidual``
/// finds the addition right after them.
///
///     convolution ─ rounding                convolution+rounding
public enum FuseRounding: GraphPass {
  public static let name = "FuseRounding"

  public static func run(on graph: inout Graph) throws {
    graph.rewrite { graph, position in
      let node = graph[position]
      guard node.operation is RoundOperator, let producer = graph.soleProducer(of: node.inputs[0])
      else { return false }
      return graph.fuse(position, into: producer)
    }
  }
}

extension GraphRewriter {
  /// Fuses the node at `reader` into the only node that it reads. Returns whether the two could be fused.
  fileprivate mutating func fuse(_ reader: Int, into producer: Int) -> Bool {
    guard let fused = fused(producer, with: self[reader]) else { return false }
    setOperator(fused, at: producer)
    absorb(reader: reader, into: producer)
    return true
  }

  /// Returns the operator of the node at `position`, followed by the function of the node that reads it. Nil if the two
  /// cannot be fused.
  private func fused(_ position: Int, with reader: Graph.Node) -> (any Operator)? {
    let node: Graph.Node = self[position]
    if var norm = node.operation.asFusedNorm {
      // The kernels of norms apply every activation.
      guard let layer = reader.operation as? ActivationOperator, norm.steps?.function == nil else {
        return nil
      }
      norm.epilogue.append(.activation(layer.function))
      return norm
    }
    guard let step = Epilogue(function: reader.operation) else { return nil }
    if var norm = node.operation as? GroupNorm {
      // All results are rounded already.
      if step == .rounding { return norm.rounds ? norm : nil }
      guard norm.activation == nil, step.uniformFunction != nil,
        !norm.rounds || step.keepsFloat16 || isRoundedToFloat16(reader.outputs[0])
      else { return nil }
      norm.activation = step
      return norm
    }
    if let norm = node.operation as? LayerNormalizationOperator {
      return step == .rounding ? FusedLayerNorm(norm) : nil
    }
    let isRounded: Bool = isRoundedToFloat16(reader.outputs[0])
    guard var convolution = node.operation.asFusedConvolution else {
      return product(position, endingWith: step, isRounded)
    }
    guard step == .rounding || step.uniformFunction != nil,
      convolution.epilogue.canTake(step, isRounded: isRounded),
      hasConstantParameters(convolution, position)
    else { return nil }
    convolution.epilogue.append(step)
    return convolution
  }

  /// Returns a node's product of rows, followed by a step. Nil if the node does not multiply rows by a matrix. Also nil
  /// if there are few rows or if the matrix is large, because a kernel without an epilogue may then be faster.
  ///
  /// - Parameter isRounded: Whether the step's result is rounded to float16.
  fileprivate func product(
    _ position: Int, endingWith step: Epilogue, _ isRounded: Bool
  ) -> FusedProduct? {
    // oneDNN's kernels of products have no clip.
    if case .clip = step { return nil }
    let node: Graph.Node = self[position]
    guard var product = node.operation.asFusedProduct, product.core.multipliesRows,
      isFloat32(node), let matrix = self[node.inputs[1]].type?.shape,
      let rows = self[node.inputs[0]].type?.shape, matrix.count <= 1 << 24,
      rows.count / max(rows[-1], 1) >= 64, product.epilogue.canTake(step, isRounded: isRounded)
    else { return nil }
    // Only our own kernels have residuals and roundings, and they need a constant matrix.
    let isFunction: Bool = step.postOps != nil && product.epilogue.isEmpty
    guard isFunction || self[node.inputs[1]].constant != nil else { return nil }
    product.epilogue.append(step)
    return product
  }

  /// Returns whether a rounding to float16 is the only reader of a value.
  func isRoundedToFloat16(_ value: Graph.ValueID) -> Bool {
    guard !isOutput(value), readers[value.index].count == 1 else { return false }
    return self[readers[value.index][0]].roundsToFloat16
  }

  /// If a crop computes the value, replaces the value by the crop's input, and returns the offset at which the crop
  /// starts. Otherwise leaves the value and returns an offset of 0.
  fileprivate func uncrop(_ value: inout Graph.ValueID) -> CropOperator.Offset {
    guard let writer = writers[value.index], let crop = self[writer].operation as? CropOperator,
      crop.referenceOffset == nil
    else { return CropOperator.Offset() }
    value = self[writer].inputs[0]
    return CropOperator.Offset(top: crop.amounts.top, left: crop.amounts.left)
  }
}

extension [Epilogue] {
  /// Returns whether kernels can apply these steps, then another one, and then a rounding if `isRounded` is true.
  fileprivate func canTake(_ step: Epilogue, isRounded: Bool) -> Bool {
    var steps: [Epilogue] = self + [step]
    if first == .rounding, isRounded { steps.append(.rounding) }
    return ImageEpilogue(steps, inputsFrom: 0) != nil
  }
}

extension Operator {
  /// Whether the operator adds two inputs and does nothing else.
  fileprivate var isPlainAddition: Bool {
    if let function = self as? BinaryFunctionOperator {
      return function.function == .add && function.number == nil
    }
    return (self as? AddOperator)?.inputCount == 2
  }
}
