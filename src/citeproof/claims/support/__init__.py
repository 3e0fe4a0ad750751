"""What the text of a cited work says about a claim. Pure: text in, `ClaimSupport` out; never a verdict.

index = index_passages(source)                     # once for each work
assess_support("Deep networks generalise [3].", index)
"""

from citeproof.claims.support.passage_index import PassageIndex, index_passages
from citeproof.claims.support.passage_ranking import Reranker
from citeproof.claims.support.support_assessment import assess_support

__all__ = ["PassageIndex", "Reranker", "assess_support", "index_passages"]
