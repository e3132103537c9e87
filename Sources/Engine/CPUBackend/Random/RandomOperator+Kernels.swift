import CKernels
import Operators

extension RandomOperator: KernelProvider where Distribution: NativelyDrawn {
  public var kernels: [KernelCandidate] {
    [
      KernelCandidate("native random numbers") { [self] (request: KernelRequest) -> Kernel? in
        let output = TensorDescriptor(request.outputs[0].shape)
        let count = Int64(output.shape.count)
        let drawn = distribution.native
        let seed: Int64 = seed
        let step = ClosureStep { memory in
          // Safe: the planner supplies dense float32 memory of the output's shape.
          let numbers = memory.outputs[0].assumingMemoryBound(to: Float.self)
          requireNative(
            ck_random(
              drawn.kind, drawn.first, drawn.second, RandomSequence(seed: seed).seed, count, numbers
            ))
        }
        // Inputs only give a shape and are not read.
        return Kernel(step, inputs: request.inputs, outputs: [output])
      }
    ]
  }
}

/// A distribution that the native kernel supports.
public protocol NativelyDrawn: RandomDistribution {
  /// The distribution for the native kernel.
  var native: NativeDistribution { get }
}

/// The native kernel's parameters of a distribution.
public struct NativeDistribution: Sendable {
  package let kind: ck_distribution
  package let first: Float
  package let second: Float
}

extension NormalDistribution: NativelyDrawn {
  public var native: NativeDistribution {
    NativeDistribution(kind: CK_NORMAL, first: Float(mean), second: Float(deviation))
  }
}

extension UniformDistribution: NativelyDrawn {
  public var native: NativeDistribution {
    NativeDistribution(kind: CK_UNIFORM, first: Float(minimum), second: Float(maximum))
  }
}

extension BernoulliDistribution: NativelyDrawn {
  public var native: NativeDistribution {
    NativeDistribution(kind: CK_BERNOULLI, first: Float(probability), second: 0)
  }
}
