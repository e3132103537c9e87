import Backends
import Graph
import Operators

extension ReshapeOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      KernelCandidate("view", elements: order == .channelFirst ? .all : [.float32]) { request in
        guard !crossesBatch(request.inputs[0].shape, request.outputs[0].shape) else { return nil }
        return .view(of: request, layout: order == .channelLast ? .channelsLast : .dense)
      }
    ]
  }
}

extension FlattenOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      KernelCandidate("view", elements: order == .channelFirst ? .all : [.float32]) { request in
        .view(of: request, layout: order == .channelLast ? .channelsLast : .dense)
      }
    ]
  }
}

extension ReshapeStaticOperator: KernelProvider {
  public var kernels: [KernelCandidate] { [.view] }
}

extension ReshapeLikeOperator: KernelProvider {
  public var kernels: [KernelCandidate] { [.view] }
}

extension ReshapeDynamicOperator: KernelProvider {
  public var kernels: [KernelCandidate] { [.view] }
}

extension RankPreservingReshapeOperator: KernelProvider {
  public var kernels: [KernelCandidate] { [.view] }
}

extension ExpandDimsOperator: KernelProvider {
  public var kernels: [KernelCandidate] { [.view] }
}

extension SqueezeOperator: KernelProvider {
  public var kernels: [KernelCandidate] { [.view] }
}

extension FlattenTo2DOperator: KernelProvider {
  public var kernels: [KernelCandidate] { [.view] }
}
