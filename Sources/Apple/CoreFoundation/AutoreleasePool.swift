// On Apple's systems this function comes from Objective-C's module, which Foundation exports. Linux has no autorelease
// pools: reference counting releases every object after its last use.

/// Calls a closure and returns its result.
@inlinable
public func autoreleasepool<Result, Failure: Error>(
  invoking body: () throws(Failure) -> Result
) throws(Failure) -> Result {
  try body()
}
