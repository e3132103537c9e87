import Graph
import Operators

/// An addition becomes the last step of the convolution or instance norm that makes one of its
/// operands.
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
      // The operand made last: the other is then ready wherever its maker stands.
      let operands = node.inputs.sorted {
        (graph.writers[$0.index] ?? -1) > (graph.writers[$1.index] ?? -1)
      }
      for operand in operands {
        guard let producer = graph.soleProducer(of: operand) else { continue }
        var added = node.inputs[0] == operand ? node.inputs[1] : node.inputs[0]
        let offset = graph.uncrop(&added)
        let fused: any Operator
        if var layer = graph[producer].operation as? ConvolutionOperator,
          layer.canTakeResidual, graph.hasConstantParameters(layer, producer)
        {
          layer.residual = offset
          fused = layer
        } else if var layer = graph[producer].operation as? BatchNormOperator,
          layer.isInstanceNormalization, layer.activation == nil, layer.residual == nil
        {
          layer.residual = offset
          fused = layer
        } else {
          continue
        }
        // The fused node stands where the addition stood, behind both operands.
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

/// An activation becomes the last step of the convolution, instance norm or product of rows in front; a clip from 0 up
/// becomes a convolution's.
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
      if let product = graph.product(graph[producer], endingWith: node.operation) {
        graph.setLayer(product, at: producer)
        graph.absorb(reader: position, into: producer)
        return true
      }
      if let clip = node.operation as? ClipOperator {
        guard clip.minimum == 0, clip.maximum > 0, clip.maximum.isFinite,
          var layer = graph[producer].operation as? ConvolutionOperator, layer.activation == nil,
          !layer.appliesFactors, graph.hasConstantParameters(layer, producer)
        else { return false }
        (layer.activation, layer.ceiling) = (.reLU, clip.maximum)
        graph.setLayer(layer, at: producer)
        graph.absorb(reader: position, into: producer)
        return true
      }
      guard let activation = node.operation as? ActivationOperator else { return false }
      if var layer = graph[producer].operation as? ConvolutionOperator,
        layer.activation == nil, !layer.appliesFactors,
        graph.hasConstantParameters(layer, producer), activation.function.isProductEpilogue
      {
        layer.activation = activation.function
        graph.setLayer(layer, at: producer)
      } else if var layer = graph[producer].operation as? BatchNormOperator,
        layer.isInstanceNormalization, layer.activation == nil
      {
        layer.activation = activation.function
        graph.setLayer(layer, at: producer)
      } else {
        return false
      }
      graph.absorb(reader: position, into: producer)
      return true
    }
  }
}

extension GraphRewriter {
  /// A product of rows with an operator as its last step; nil for other nodes and operators, and where a product
  /// has so few rows, or so large a matrix, that a kernel which knows no last step may be the better one.
  fileprivate func product(_ node: Graph.Node, endingWith operation: any Operator)
    -> BatchedMatMulOperator?
  {
    guard var product = node.operation as? BatchedMatMulOperator, product.multipliesRows,
      product.epilogue == nil, let epilogue = ProductEpilogue(operation), isFloat32(node),
      let matrix = self[node.inputs[1]].type?.shape, let rows = self[node.inputs[0]].type?.shape,
      matrix.count <= 1 << 24, rows.count / max(rows[-1], 1) >= 64
    else { return nil }
    product.epilogue = epilogue
    return product
  }

  /// Replaces a cropped value by what it was cropped from, and gives the place where the crop starts.
  fileprivate func uncrop(_ value: inout Graph.ValueID) -> CropOperator.Offset {
    guard let writer = writers[value.index], let crop = self[writer].operation as? CropOperator,
      crop.referenceOffset == nil
    else { return CropOperator.Offset() }
    value = self[writer].inputs[0]
    return CropOperator.Offset(top: crop.amounts.top, left: crop.amounts.left)
  }
}

extension ConvolutionOperator {
  /// Whether nothing stands between the sum and an addition.
  fileprivate var canTakeResidual: Bool {
    activation == nil && !appliesFactors && residual == nil && !isDeconvolution
  }
}

extension Operator {
  /// Whether this adds its inputs and does nothing else.
  fileprivate var isPlainAddition: Bool {
    if let function = self as? BinaryFunctionOperator {
      return function.function == .add && function.number == nil
    }
    return (self as? AddOperator)?.inputCount == 2
  }
}
