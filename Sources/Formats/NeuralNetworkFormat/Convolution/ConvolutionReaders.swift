import Graph
import Operators

extension [LayerReader] {
  /// 2D and 3D convolutions.
  package static let convolution: [LayerReader] = [
    LayerReader("convolution", ConvolutionOperator.self, decode: ConvolutionOperator.decode),
    LayerReader("convolution3d", Convolution3DOperator.self, decode: Convolution3DOperator.decode),
  ]
}
