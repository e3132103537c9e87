import Graph
import Operators
import Passes

/// Fuses an addition into the convolution or instance norm that computes one of the addition's operands. The other
/// operand becomes the residual. If a crop computes the residual, the crop becomes an offset.
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
        if var layer = graph[producer].operation.asFusedConvolution, layer.epilogue.isEmpty,
          !layer.core.isDeconvolution, graph.hasConstantParameters(layer, producer)
        {
          layer.epilogue = [.residual(offset)]
          fused = layer
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
/// step of the convolution, norm or product. Also fuses a clip with the minimum 0 into the convolution before it.
///
///     convolution ─ activation              convolution+activation
public enum FuseActivation: GraphPass {
  public static let name = "FuseActivation"

  public static func run(on graph: inout Graph) throws {
    graph.rewrite { graph, position in
      let node = graph[position]
      guard let first = node.inputs.first, let producer = graph.soleProducer(of: first) else {
        return false
      }
      guard let fused = graph.fused(producer, with: node.operation) else { return false }
      graph.setOperator(fused, at: producer)
      graph.absorb(reader: position, into: producer)
      return true
    }
  }
}

extension GraphRewriter {
  /// Returns the operator of the node at `position`, followed by the function of another operator. Nil if the two
  /// cannot be fused.
  fileprivate func fused(_ position: Int, with operation: any Operator) -> (any Operator)? {
    let node: Graph.Node = self[position]
    if var norm = node.operation.asFusedNorm {
      // The kernels of norms apply every activation.
      guard let layer = operation as? ActivationOperator, norm.steps?.function == nil else {
        return nil
      }
      norm.epilogue.append(.activation(layer.function))
      return norm
    }
    guard let step = Epilogue(function: operation) else { return nil }
    guard var convolution = node.operation.asFusedConvolution else {
      return product(node, endingWith: step)
    }
    // Our kernels of convolutions have no GELU and no swish.
    guard step.uniformFunction != nil, let steps = convolution.steps, steps.function == nil,
      steps.factorsInput == nil, hasConstantParameters(convolution, position)
    else { return nil }
    convolution.epilogue.append(step)
    return convolution
  }

  /// Returns a node's product of rows, followed by a function. Nil if the node does not multiply rows by a matrix. Also
  /// nil if there are few rows or if the matrix is large, because a kernel without an epilogue may then be faster.
  private func product(_ node: Graph.Node, endingWith step: Epilogue) -> FusedProduct? {
    // The kernels of products have no clip.
    if case .clip = step { return nil }
    guard let product = node.operation as? BatchedMatMulOperator, product.multipliesRows,
      isFloat32(node), let matrix = self[node.inputs[1]].type?.shape,
      let rows = self[node.inputs[0]].type?.shape, matrix.count <= 1 << 24,
      rows.count / max(rows[-1], 1) >= 64
    else { return nil }
    return FusedProduct(product, step)
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

extension Operator {
  /// Whether the operator adds two inputs and does nothing else.
  fileprivate var isPlainAddition: Bool {
    if let function = self as? BinaryFunctionOperator {
      return function.function == .add && function.number == nil
    }
    return (self as? AddOperator)?.inputCount == 2
  }
}
