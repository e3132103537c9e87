import Glibc
import Operators

extension CategoricalDistributionOperator: KernelProvider {
  /// Tensors are dense `float32`. Sums are in `Double`. Scratch memory holds the cumulative weights of one
  /// distribution.
  public var kernels: [KernelCandidate] {
    [
      KernelCandidate("native categorical sampling") { [self] (request: KernelRequest) -> Kernel? in
        let input = TensorDescriptor(request.inputs[0].shape)
        let output = TensorDescriptor(request.outputs[0].shape)
        let classes: Int = input.shape[-1]
        let rows: Int = input.shape.count / classes
        let step = ClosureStep { [self] memory in
          // Safe: the planner supplies dense float32 memory of the two shapes, and scratch memory of the stated size.
          let draw = CategoricalDraw(
            sequence: RandomSequence(seed: seed), count: sampleCount, classes: classes,
            cumulative: memory.scratch.assumingMemoryBound(to: Double.self))
          let values = memory.inputs[0].assumingMemoryBound(to: Float.self)
          let drawn = memory.outputs[0].assumingMemoryBound(to: Float.self)
          for row in 0..<rows {
            let logits = values + row * classes
            draw.weigh { index in
              (isLogits ? Double(logits[index]) : log(Double(logits[index]) + epsilon))
                / temperature
            }
            draw.run(row: row, into: drawn + row * sampleCount)
          }
        }
        return Kernel(
          step, inputs: [input], outputs: [output],
          scratchByteCount: classes * MemoryLayout<Double>.stride)
      }
    ]
  }
}

/// Draws samples from one distribution at a time.
private struct CategoricalDraw {
  let sequence: RandomSequence
  let count: Int
  let classes: Int
  let cumulative: UnsafeMutablePointer<Double>

  /// Computes the cumulative sums of e^(logit − largest logit) over the classes.
  func weigh(_ logit: (Int) -> Double) {
    var largest = -Double.infinity
    for index in 0..<classes {
      cumulative[index] = logit(index)
      largest = max(largest, cumulative[index])
    }
    var reached: Double = 0
    for index in 0..<classes {
      reached += exp(cumulative[index] - largest)
      cumulative[index] = reached
    }
  }

  /// Writes the classes that were drawn for a row.
  func run(row: Int, into drawn: UnsafeMutablePointer<Float>) {
    for index in 0..<count {
      let number: Double = sequence.unit(row * count + index) * cumulative[classes - 1]
      var (low, high) = (0, classes - 1)
      while low < high {
        let middle: Int = (low + high) / 2
        if number < cumulative[middle] { high = middle } else { low = middle + 1 }
      }
      drawn[index] = Float(low)
    }
  }
}
